import { readFileSync } from 'node:fs';
import type { Type } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import { type Ability, abilityOf, isOpen, PERMISSIONS } from '../../src/modules/access/index.js';
import { Trellis } from '../support/trellis.js';

interface Route {
  operationId: string;
  ability: Ability | undefined;
}

interface Operation {
  verb: 'get' | 'post' | 'put' | 'delete';
  path: string;
  operationId: string;
}

describe('routes', () => {
  let trellis: Trellis;
  let routes: Route[];

  beforeAll(async () => {
    trellis = await Trellis.start();
    routes = declaredRoutes(trellis);
  });
  afterAll(() => trellis.stop());

  it('all declare an ability of the permission table', () => {
    expect(routes.length).toBeGreaterThan(10);
    const known = Object.keys(PERMISSIONS);
    expect(routes.filter(({ ability }) => !known.includes(ability ?? ''))).toEqual([]);
  });

  it('are refused to strangers, but for those the table opens', async () => {
    const abilities = new Map(routes.map(({ operationId, ability }) => [operationId, ability]));
    const operations = documentedOperations();
    expect(operations.length).toBeGreaterThan(8);
    for (const { verb, path, operationId } of operations) {
      const ability = abilities.get(operationId);
      if (ability === undefined) throw new Error(`${operationId} has no route`);
      const answer = await trellis.anonymous.call(verb, path);
      const isRefused = answer.status === 401;
      expect([operationId, isRefused]).toEqual([operationId, !isOpen(PERMISSIONS[ability])]);
    }
  });

  it('that are not there answer 404, and known paths with another verb 405', async () => {
    const absent = await trellis.anonymous.get('/no/such/route').expect(404);
    expect(absent.body).toEqual({ error: '404 Not Found' });
    const verb = await trellis.anonymous.put('/session').expect(405);
    expect(verb.body).toEqual({ error: '405 Not Allowed' });
    expect(verb.headers['allow']).toBe('POST');
  });
});

function declaredRoutes({ app }: Trellis): Route[] {
  const modules = [...app.get(ModulesContainer).values()];
  return modules.flatMap(({ controllers }) =>
    [...controllers.values()].flatMap(({ metatype }) => handlersOf(metatype as Type)),
  );
}

function handlersOf(controller: Type): Route[] {
  const prototype = controller.prototype as Record<string, object>;
  return Object.getOwnPropertyNames(prototype)
    .filter((name) => name !== 'constructor')
    .filter((name) => Reflect.hasMetadata(PATH_METADATA, prototype[name] ?? {}))
    .map((name) => ({
      operationId: `${controller.name.replace(/Controller$/, '')}.${name}`,
      ability: abilityOf(prototype[name] ?? {}),
    }));
}

/** The operations of the interface document, with values in the place of path parameters. */
function documentedOperations(): Operation[] {
  const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, { operationId }]) => ({
      verb: verb as Operation['verb'],
      path: path.replace(/\{\w+\}/g, '1'),
      operationId,
    })),
  );
}
