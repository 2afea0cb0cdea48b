import { readFileSync } from 'node:fs';
import path from 'node:path';
import { RESOURCES, V4 } from '../../src/faces/index.js';

interface Document {
  readonly paths: Readonly<Record<string, object>>;
}

/** Below these lie resources of their own. */
const OWNERS = new Set([
  'projects',
  'projects/{}',
  'groups',
  'groups/{}',
  'user',
  'users',
  'users/{}',
]);

/** Whatever parameters are called, and without the slash before. */
const plain = (route: string): string => route.replace(/^\//, '').replace(/:\w+|\{\w+\}/g, '{}');

describe('the resources of version 4', () => {
  const file = path.join(process.cwd(), V4.document);
  const document = JSON.parse(readFileSync(file, 'utf8')) as Document;
  const routes = Object.keys(document.paths).map(plain);
  const pathsOf = (isRouted: boolean): string[] =>
    RESOURCES.filter(({ answer }) => (answer !== 'absent') === isRouted).flatMap(({ paths }) =>
      paths.map(plain),
    );

  it('have routes, except for those that are absent', () => {
    expect(pathsOf(true).filter((route) => !routes.includes(route))).toEqual([]);
    expect(pathsOf(false).filter((route) => routes.includes(route))).toEqual([]);
  });

  it('are all that has routes, each once', () => {
    const listed = pathsOf(true);
    const isBelow = (route: string) =>
      listed.some(
        (resource) =>
          route === resource || (!OWNERS.has(resource) && route.startsWith(`${resource}/`)),
      );
    expect(routes.filter((route) => !isBelow(route))).toEqual([]);
    const names = RESOURCES.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, 'en')));
  });

  it('say why they are not served', () => {
    const silent = RESOURCES.filter(({ answer, why }) => answer !== 'served' && why === '');
    expect(silent).toEqual([]);
  });
});
