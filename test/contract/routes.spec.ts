import { isOpen, PERMISSIONS } from '../../src/modules/authorization/index.js';
import { Trellis } from '../support/trellis.js';
import {
  declaredRoutes,
  documentedOperations,
  handlerOf,
  type Route,
} from './support/operations.js';

describe('routes', () => {
  let trellis: Trellis;
  let routes: Route[];

  beforeAll(async () => {
    trellis = await Trellis.shared();
    routes = declaredRoutes(trellis);
  });

  it('all declare an ability of the permission table', () => {
    expect(routes.length).toBeGreaterThan(10);
    const known = Object.keys(PERMISSIONS);
    expect(routes.filter(({ ability }) => !known.includes(ability ?? ''))).toEqual([]);
  });

  it('are refused to anonymous callers, except public ones', async () => {
    const abilities = new Map(routes.map(({ handler, ability }) => [handler, ability]));
    const operations = documentedOperations();
    expect(operations.length).toBeGreaterThan(8);
    for (const operation of operations) {
      const { face, verb, path, operationId } = operation;
      const ability = abilities.get(handlerOf(operation));
      if (ability === undefined) throw new Error(`${operationId} has no route`);
      const client = trellis.anonymous.at(face);
      // Open with this scope only (docs/reference/v4.md#reading-without-a-credential).
      const scope = ability === 'issue:search' ? '?scope=all' : '';
      const answer = await client.call(verb, path.replace(/\{\w+\}/g, '1') + scope);
      const isRefused = answer.status === 401;
      expect([operationId, isRefused]).toEqual([operationId, !isOpen(PERMISSIONS[ability])]);
    }
  });

  it('return 404 for unknown paths, and 405 for known paths with another verb', async () => {
    for (const client of [trellis.anonymous, trellis.anonymous.v4]) {
      const absent = await client.get('/no/such/route').expect(404);
      expect(absent.body).toEqual({ error: '404 Not Found' });
    }
    const verb = await trellis.anonymous.put('/session').expect(405);
    expect(verb.body).toEqual({ error: '405 Not Allowed' });
    expect(verb.headers['allow']).toBe('POST');
  });
});
