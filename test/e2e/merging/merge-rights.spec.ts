import type { Person } from '../../support/factories.js';
import { pathOf } from '../../support/merge-requests.js';
import { type MergePlace, Merging } from '../../support/merging.js';
import { memberOf } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(180_000);

const ROLES = ['visitor', 'guest', 'reporter', 'developer', 'master', 'owner', 'admin'] as const;
type Role = (typeof ROLES)[number];

/** Rules for `master`, and the least of the roles that may merge. */
const TABLE: readonly (readonly [title: string, rule: object | null, least: Role])[] = [
  ['an unprotected branch', null, 'developer'],
  ['a protected branch', {}, 'master'],
  ['one that developers may push to', { developers_can_push: true }, 'developer'],
  ['one that developers may merge to', { developers_can_merge: true }, 'developer'],
  [
    'one that developers may do both to',
    { developers_can_push: true, developers_can_merge: true },
    'developer',
  ],
];

describe('the right to accept a merge request', () => {
  let trellis: Trellis;
  let merging: Merging;
  let place: MergePlace;
  let people: Record<Role, Person>;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    merging = await Merging.begin(trellis);
    place = await merging.place({ visibilityLevel: 20 });
    const member = (level: number) => memberOf(trellis, place.project, level);
    people = {
      visitor: await trellis.factories.user(),
      guest: await member(10),
      reporter: await member(20),
      developer: await member(30),
      master: await member(40),
      owner: place.owner,
      admin: await trellis.factories.admin(),
    };
  });
  afterAll(() => merging.end());

  async function protect(rule: object | null): Promise<void> {
    const branch = place.path('/repository/branches/master');
    const client = trellis.as(place.owner);
    await client.put(`${branch}/unprotect`).expect(200);
    if (rule !== null) await client.put(`${branch}/protect`, rule).expect(200);
  }

  it.each(TABLE)('into %s', async (_, rule, least) => {
    await protect(rule);
    const limit = ROLES.indexOf(least);
    const request = await place.propose();
    for (const [at, role] of ROLES.slice(0, limit + 1).entries()) {
      const { status } = await place.accept(request, {}, people[role]);
      expect({ role, status }).toEqual({ role, status: at < limit ? 401 : 200 });
      expect((await place.read(request)).state).toBe(at < limit ? 'opened' : 'merged');
    }
  });

  it.each(['owner', 'admin'] as const)('into a protected branch, for an %s', async (role) => {
    await protect({});
    await place.accept(await place.propose(), {}, people[role]).expect(200);
  });

  it('does not depend on author and assignee', async () => {
    await protect({});
    const { developer } = people;
    const request = await place.propose({
      by: developer,
      fields: { assignee_id: developer.user.id },
    });
    await place.accept(request, {}, developer).expect(401);
  });

  it('lets developers merge where they may not push', async () => {
    const { developer } = people;
    await protect({ developers_can_merge: true });
    const request = await place.propose();
    await place.accept(request, {}, developer).expect(200);
    await trellis
      .as(developer)
      .post(place.path('/repository/commits'), {
        branch_name: 'master',
        commit_message: 'Directly',
        actions: [{ action: 'create', file_path: 'direct', content: 'x' }],
      })
      .expect(400, { message: 'You are not allowed to push into this branch' });
  });

  describe('includes the right to cancel an automatic merge', () => {
    it('for users who may accept it, and for the author', async () => {
      await protect({});
      const author = await memberOf(trellis, place.project, 30);
      const request = await place.propose({ by: author });
      await trellis.anonymous
        .put(`${pathOf(request)}/cancel_merge_when_build_succeeds`)
        .expect(401);
      await place.wait(request);
      for (const role of ['visitor', 'guest', 'reporter', 'developer'] as const) {
        const { status } = await place.cancel(request, people[role]);
        expect({ role, status }).toEqual({ role, status: 401 });
      }
      for (const person of [people.master, people.owner, people.admin, author]) {
        await place.cancel(request, person).expect(200);
        await place.wait(request);
      }
    });
  });
});
