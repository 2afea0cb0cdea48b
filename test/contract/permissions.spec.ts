import request from 'supertest';
import { type Permission, PERMISSIONS } from '../../src/modules/access/index.js';
import { Trellis } from '../support/trellis.js';
import { CASES } from './support/cases.js';
import { Checks } from './support/checks.js';
import {
  CALLERS,
  type Expectation,
  expectationOf,
  type Situation,
  VISIBILITIES,
} from './support/expectation.js';
import { documentedOperations, handlerOf, type Operation } from './support/operations.js';

const operations = documentedOperations();

const byCall = (some: readonly Operation[]) =>
  some.map((operation) => [`${operation.verb} ${operation.path}`, operation] as const);

describe('the permission table', () => {
  let trellis: Trellis;
  let checks: Checks;

  beforeAll(async () => {
    trellis = await Trellis.start();
    checks = await Checks.on(trellis);
  });
  afterAll(() => trellis.stop());

  it.each(byCall(operations))(
    'decides on %s, and what the others are told',
    async (_, operation) => {
      const { scope } = checks.permissionOf(operation);
      // Elsewhere there is nothing that has a visibility.
      const isOnObject = scope === 'project' || scope === 'group';
      const mismatches: string[] = [];
      for (const visibility of isOnObject ? VISIBILITIES : VISIBILITIES.slice(0, 1)) {
        mismatches.push(...(await checks.mismatches(operation, { visibility, way: 'direct' })));
      }
      expect(mismatches).toEqual([]);
    },
  );

  const reading = operations.filter(
    ({ verb, path }) => verb === 'get' && path.startsWith('/projects/{id}'),
  );

  it.each(byCall(reading))(
    'gives members through a group or a share on %s what it gives direct ones',
    async (_, operation) => {
      const mismatches: string[] = [];
      for (const way of ['group', 'share'] as const) {
        for (const visibility of VISIBILITIES) {
          mismatches.push(...(await checks.mismatches(operation, { visibility, way })));
        }
      }
      expect(mismatches).toEqual([]);
    },
  );

  it.each([
    ['git-upload-pack', 'code:read'],
    ['git-receive-pack', 'code:push'],
  ] as const)('decides by Git over HTTP on %s', async (service, ability) => {
    const mismatches: string[] = [];
    for (const way of ['direct', 'group', 'share'] as const) {
      const calls = VISIBILITIES.flatMap((visibility) =>
        CALLERS.map(async (caller) => {
          const { fullPath } = await checks.stage.project(visibility, way);
          const asked = request(trellis.url).get(`/${fullPath}.git/info/refs?service=${service}`);
          const person = checks.stage.people[caller];
          const call = person ? asked.auth(person.user.username, person.token) : asked;
          const { status } = await call;
          const situation = { caller, visibility, shared: way === 'share' };
          const expected = expectationOfGit(PERMISSIONS[ability], situation);
          if (status === (expected === 'allowed' ? 200 : expected)) return [];
          return [`${caller}, ${visibility}, ${way}: ${String(status)}, not ${String(expected)}`];
        }),
      );
      mismatches.push(...(await Promise.all(calls)).flat());
    }
    expect(mismatches).toEqual([]);
  });

  it('has special cases of handlers that are there alone', () => {
    const handlers = new Set(operations.map(handlerOf));
    expect(Object.keys(CASES).filter((handler) => !handlers.has(handler))).toEqual([]);
  });
});

/**
 * What Git over HTTP makes of the table: a wrong credential never becomes an anonymous reader, and
 * whoever brings none is asked for one rather than told that something is missing
 * (docs/reference/git.md#http).
 */
function expectationOfGit(permission: Permission, situation: Situation): Expectation {
  if (situation.caller === 'blocked') return 401;
  if (situation.caller !== 'anonymous') return expectationOf(permission, situation);
  const isForReaders = permission.scope === 'project' && permission.visitor;
  return isForReaders && situation.visibility === 'public' ? 'allowed' : 401;
}
