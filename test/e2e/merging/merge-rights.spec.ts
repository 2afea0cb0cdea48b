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

describe('who may accept a merge request', () => {
  let trellis: Trellis;
  let merging: Merging;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    merging = await Merging.begin(trellis);
  });
  afterAll(() => merging.end());

  async function protect(place: MergePlace, rule: object | null): Promise<void> {
    const branch = place.path('/repository/branches/master');
    const client = trellis.as(place.owner);
    await client.put(`${branch}/unprotect`).expect(200);
    if (rule !== null) await client.put(`${branch}/protect`, rule).expect(200);
  }

  async function peopleOf(place: MergePlace): Promise<Record<Role, Person>> {
    const member = (level: number) => memberOf(trellis, place.project, level);
    return {
      visitor: await trellis.factories.user(),
      guest: await member(10),
      reporter: await member(20),
      developer: await member(30),
      master: await member(40),
      owner: place.owner,
      admin: await trellis.factories.admin(),
    };
  }

  it.each(TABLE)('into %s', async (_, rule, least) => {
    const place = await merging.place({ visibilityLevel: 20 });
    const people = await peopleOf(place);
    await protect(place, rule);
    for (const role of ROLES) {
      const request = await place.propose();
      const may = ROLES.indexOf(role) >= ROLES.indexOf(least);
      const { status } = await place.accept(request, {}, people[role]);
      expect({ role, status }).toEqual({ role, status: may ? 200 : 401 });
      expect((await place.read(request)).state).toBe(may ? 'merged' : 'opened');
    }
  });

  it('does not depend on who wrote it or is to work on it', async () => {
    const place = await merging.place({ visibilityLevel: 20 });
    const developer = await memberOf(trellis, place.project, 30);
    const request = await place.propose({
      by: developer,
      fields: { assignee_id: developer.user.id },
    });
    await place.accept(request, {}, developer).expect(401);
  });

  it('lets developers merge where they may not push', async () => {
    const place = await merging.place();
    const developer = await memberOf(trellis, place.project, 30);
    await protect(place, { developers_can_merge: true });
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

  describe('and who may have it wait no longer', () => {
    it('those who may accept it, and the author', async () => {
      const place = await merging.place({ visibilityLevel: 20 });
      const people = await peopleOf(place);
      const author = await memberOf(trellis, place.project, 30);
      const request = await place.propose({ by: author });
      await trellis.anonymous
        .put(`${pathOf(request)}/cancel_merge_when_build_succeeds`)
        .expect(401);
      for (const role of ROLES) {
        await place.wait(request);
        const may = ['master', 'owner', 'admin'].includes(role);
        const { status } = await place.cancel(request, people[role]);
        expect({ role, status }).toEqual({ role, status: may ? 200 : 401 });
      }
      await place.wait(request);
      await place.cancel(request, author).expect(200);
    });
  });
});
