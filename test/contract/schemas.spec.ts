import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { FACES } from '../../src/faces/index.js';
import { ERROR_SCHEMAS } from '../../src/platform/http/openapi/errors.js';

const CLASS = /^(?:export )?(?:default )?(?:abstract )?class (\w+)/gm;

/** The files of `src` that declare each class, by the name of the class. */
function declarations(): Map<string, string[]> {
  const files = readdirSync('src', { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ts'));
  const found = new Map<string, string[]>();
  for (const file of files) {
    const text = readFileSync(path.join('src', file), 'utf8');
    for (const [, name = ''] of text.matchAll(CLASS))
      found.set(name, [...(found.get(name) ?? []), file]);
  }
  return found;
}

// The generator keeps one schema for each class name, the last one it meets. Of others it only logs a warning,
// and none if they are equal, so that the document itself does not show that a schema was replaced.
describe('the schemas of the interface documents', () => {
  const files = declarations();
  const documented = FACES.flatMap(({ document }) => {
    const { components } = JSON.parse(readFileSync(document, 'utf8')) as {
      components: { schemas: Record<string, unknown> };
    };
    return Object.keys(components.schemas);
  });

  it('each come from one class', () => {
    const classes = documented.filter((name) => !(name in ERROR_SCHEMAS));
    expect(classes.length).toBeGreaterThan(100);
    const declared = classes.map((name) => [name, files.get(name)?.length]);
    expect(declared).toEqual(classes.map((name) => [name, 1]));
  });

  it('have unique names', () => {
    const forms = [...files].filter(([name]) => /(?:View|Dto)$/.test(name));
    expect(forms.length).toBeGreaterThan(100);
    expect(forms.filter(([, declaring]) => declaring.length > 1)).toEqual([]);
  });

  it('of errors have names different from classes', () => {
    expect(documented).toEqual(expect.arrayContaining(Object.keys(ERROR_SCHEMAS)));
    expect(Object.keys(ERROR_SCHEMAS).filter((name) => files.has(name))).toEqual([]);
  });
});
