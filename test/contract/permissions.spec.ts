/** @campaign matrices */
import request from 'supertest';
import { type Permission, PERMISSIONS } from '../../src/modules/authorization/index.js';
import { lengthOf } from '../support/lengths.js';
import { Trellis } from '../support/trellis.js';
import { CASES } from './support/cases.js';
import { Checks, kindOf } from './support/checks.js';
import {
  type Caller,
  CALLERS,
  callersAtLines,
  type Expectation,
  expectationOf,
  type Situation,
  VISIBILITIES,
} from './support/expectation.js';
import { documentedOperations, handlerOf, type Operation } from './support/operations.js';
import type { Place } from './support/stage.js';

jest.setTimeout(300_000);

const operations = documentedOperations();

const byCall = (some: readonly Operation[]) =>
  some.map((operation) => [`${operation.verb} ${operation.path}`, operation] as const);

describe('the permission table', () => {
  let trellis: Trellis;
  let checks: Checks;
  /** The permissions that one operation was already called with as everybody. */
  const shown = new Map<string, Set<Permission>>();

  beforeAll(async () => {
    trellis = await Trellis.start({ because: 'state of the instance' });
    checks = await Checks.on(trellis);
  });
  afterAll(() => trellis.stop());

  /**
   * Everybody, for the first operation with a permission. The guard that reads the permission is the same for the
   * others: they are called as the weakest role that is admitted and the strongest that is refused.
   */
  function callersOf(operation: Operation, { visibility, way }: Place): readonly Caller[] {
    const permission = checks.permissionOf(operation);
    const name = `${visibility} ${way}`;
    const known = shown.get(name) ?? new Set();
    shown.set(name, known);
    const isFirst = !known.has(permission);
    known.add(permission);
    const isWhole = isFirst || kindOf(permission) === undefined;
    const situation = { visibility, shared: way === 'share' };
    return lengthOf({
      brief: isWhole ? CALLERS : callersAtLines(permission, situation),
      campaign: CALLERS,
    });
  }

  it.each(byCall(operations))(
    'decides on %s, and on the errors of other roles',
    async (_, operation) => {
      // Elsewhere there is nothing that has a visibility.
      const isOnObject = kindOf(checks.permissionOf(operation)) !== undefined;
      const mismatches: string[] = [];
      for (const visibility of isOnObject ? VISIBILITIES : VISIBILITIES.slice(0, 1)) {
        const place = { visibility, way: 'direct' } as const;
        const callers = callersOf(operation, place);
        mismatches.push(...(await checks.mismatches(operation, place, callers)));
      }
      expect(mismatches).toEqual([]);
    },
  );

  it('treats members through a group or a share like direct ones', async () => {
    const reading = operations.filter(
      ({ verb, path }) => verb === 'get' && path.startsWith('/projects/{id}'),
    );
    const mismatches: string[] = [];
    const seen = new Set<Permission>();
    for (const operation of reading) {
      const permission = checks.permissionOf(operation);
      if (lengthOf({ brief: seen.has(permission), campaign: false })) continue;
      seen.add(permission);
      for (const way of ['group', 'share'] as const) {
        for (const visibility of VISIBILITIES) {
          const place = { visibility, way };
          const found = await checks.mismatches(operation, place, callersOf(operation, place));
          mismatches.push(...found.map((text) => `${operation.path}: ${text}`));
        }
      }
    }
    expect(mismatches).toEqual([]);
  });

  it.each([
    ['git-upload-pack', 'code:read'],
    ['git-receive-pack', 'code:push'],
  ] as const)('decides by Git over HTTP on %s', async (service, ability) => {
    const mismatches: string[] = [];
    for (const way of ['direct', 'group', 'share'] as const) {
      const calls = VISIBILITIES.flatMap((visibility) =>
        CALLERS.map(async (caller) => {
          const fullPath = await checks.stage.pathOf({ visibility, way });
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

  it('has special cases only for existing handlers', () => {
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
