import type { MadeGroup, Person } from '../../support/factories.js';
import { memberRow as row, memberRows } from '../../support/member-rows.js';
import { dayFromNow } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

const FORBIDDEN = { message: '403 Forbidden' };

describe('the last owner of a group', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let master: Person;
  let guest: Person;
  let group: MadeGroup;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user();
    master = await trellis.factories.user();
    guest = await trellis.factories.user();
  });

  beforeEach(async () => {
    group = await trellis.factories.group(owner, { visibilityLevel: 0 });
    await trellis.factories.addToGroup(group, master, 40);
    await trellis.factories.addToGroup(group, guest, 10);
  });

  const memberPath = ({ user }: Person) => `/groups/${group.id}/members/${user.id}`;
  const rows = () => memberRows(trellis, 'group_members', group);
  const untouched = () => [row(owner, 50), row(master, 40), row(guest, 10)];

  const put = (person: Person, body: object, caller = owner) =>
    trellis.as(caller).put(memberPath(person), body);

  it('cannot be demoted, given an expiry or removed by any caller', async () => {
    for (const caller of [owner, admin]) {
      for (const body of [
        { access_level: 40 },
        { access_level: 15 },
        { access_level: 50, expires_at: '2050-01-01' },
        { access_level: 50, expires_at: '2001-01-01' },
      ]) {
        const answer = await put(owner, body, caller).expect(403);
        expect(answer.body).toEqual(FORBIDDEN);
      }
      const removed = await trellis.as(caller).delete(memberPath(owner)).expect(403);
      expect(removed.body).toEqual(FORBIDDEN);
    }
    await put(owner, { access_level: 50 }).expect(200);
    expect(await rows()).toEqual(untouched());
  });

  it('can leave once there is another permanent owner', async () => {
    const other = await trellis.factories.user();
    await trellis.factories.addToGroup(group, other, 50, '2050-06-01');
    await trellis.as(owner).delete(memberPath(owner)).expect(403);
    await put(owner, { access_level: 50, expires_at: '2050-06-01' }).expect(403);
    await put(other, { access_level: 50, expires_at: null }).expect(200);
    await put(owner, { access_level: 50, expires_at: '2050-06-01' }).expect(200);
    // Now the one who ends may go, and the one who lasts may not.
    await trellis.as(other).delete(memberPath(other)).expect(403);
    await trellis.as(owner).delete(memberPath(owner)).expect(200);
    expect(await rows()).toEqual([row(master, 40), row(guest, 10), row(other, 50)]);
  });

  it('does not count deleted and expired owners', async () => {
    const gone = await trellis.factories.user();
    await trellis.factories.addToGroup(group, gone, 50);
    await trellis.rows('UPDATE users SET deleted_at = now() WHERE id = $1', [gone.user.id]);
    const expired = await trellis.factories.user();
    await trellis.factories.addToGroup(group, expired, 50, dayFromNow(0));
    await trellis.as(owner).delete(memberPath(owner)).expect(403);
    await put(expired, { access_level: 10 }).expect(200);
  });

  it('stays when two owners leave concurrently', async () => {
    for (let round = 0; round < 5; round += 1) {
      const contested = await trellis.factories.group(owner);
      await trellis.factories.addToGroup(contested, master, 50);
      const answers = await Promise.all(
        [owner, master].map((person) =>
          trellis.as(person).delete(`/groups/${contested.id}/members/${person.user.id}`),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
      const left = await trellis.rows(
        'SELECT access_level FROM group_members WHERE group_id = $1',
        [contested.id],
      );
      expect(left).toEqual([{ access_level: 50 }]);
    }
  });

  it('stays when two owners demote each other concurrently', async () => {
    for (let round = 0; round < 5; round += 1) {
      const contested = await trellis.factories.group(owner);
      await trellis.factories.addToGroup(contested, master, 50);
      const path = ({ user }: Person) => `/groups/${contested.id}/members/${user.id}`;
      const answers = await Promise.all([
        trellis.as(owner).put(path(master), { access_level: 10 }),
        trellis.as(master).put(path(owner), { access_level: 10 }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
      const levels = await trellis.rows<{ access_level: number }>(
        'SELECT access_level FROM group_members WHERE group_id = $1',
        [contested.id],
      );
      expect(levels.map(({ access_level: level }) => level).sort()).toEqual([10, 50]);
    }
  });
});
