import request from 'supertest';
import type { MadeGroup, MadeProject, Person, ProjectOptions } from '../../support/factories.js';
import { dayFromNow, untilMidnightIsFar } from '../../support/summaries.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(120_000);

/** A level, and the days from now on which its membership ends. */
type Term = readonly [level: number, endsIn?: number];

interface Share {
  /** The highest level that the share gives. */
  access: Term;
  /** The person's membership of the group. */
  member: Term;
  /** The group is deleted. */
  deleted?: boolean;
}

/**
 * What somebody has on a private project, and the effective level that results
 * (docs/reference/members.md#access-levels).
 */
interface Case {
  title: string;
  /** Who it is about, where it is not an ordinary user. */
  who?: 'owner' | 'admin' | 'external';
  direct?: Term;
  /** Membership of the group that the project lies in; without it the namespace is personal. */
  group?: Term;
  shares?: Share[];
  /** The project's namespace locks shares. */
  locked?: boolean;
  level: number;
}

const EXPIRED = 0;
const TOMORROW = 1;
const PAST = -40;

const CASES: Case[] = [
  { title: 'nothing gives nothing', level: 0 },
  { title: 'a direct guest', direct: [10], level: 10 },
  { title: 'a direct reporter', direct: [20], level: 20 },
  { title: 'a direct developer', direct: [30], level: 30 },
  { title: 'a direct master', direct: [40], level: 40 },
  { title: 'a direct membership until tomorrow', direct: [30, TOMORROW], level: 30 },
  { title: 'a direct membership until today', direct: [40, EXPIRED], level: 0 },
  { title: 'a direct membership of long ago', direct: [40, PAST], level: 0 },
  { title: 'a guest of the group', group: [10], level: 10 },
  { title: 'a developer of the group', group: [30], level: 30 },
  { title: 'a master of the group', group: [40], level: 40 },
  { title: 'an owner of the group', group: [50], level: 50 },
  { title: 'an owner of the group until tomorrow', group: [50, TOMORROW], level: 50 },
  { title: 'an owner of the group until today', group: [50, EXPIRED], level: 0 },
  { title: 'direct below group', direct: [10], group: [30], level: 30 },
  { title: 'direct above group', direct: [40], group: [20], level: 40 },
  { title: 'expired group, direct left', direct: [20], group: [50, EXPIRED], level: 20 },
  { title: 'expired direct, group left', direct: [40, EXPIRED], group: [20], level: 20 },
  { title: 'a share above the member', shares: [{ access: [40], member: [20] }], level: 20 },
  { title: 'a share below the member', shares: [{ access: [20], member: [40] }], level: 20 },
  { title: 'a share with a group owner', shares: [{ access: [40], member: [50] }], level: 40 },
  {
    title: 'a share until tomorrow',
    shares: [{ access: [30, TOMORROW], member: [30] }],
    level: 30,
  },
  { title: 'a share until today', shares: [{ access: [30, EXPIRED], member: [30] }], level: 0 },
  { title: 'a sharer until today', shares: [{ access: [30], member: [30, EXPIRED] }], level: 0 },
  {
    title: 'a share with a deleted group',
    shares: [{ access: [30], member: [30], deleted: true }],
    level: 0,
  },
  {
    title: 'the better of two shares',
    shares: [
      { access: [20], member: [50] },
      { access: [40], member: [30] },
      { access: [40, PAST], member: [50] },
    ],
    level: 30,
  },
  { title: 'a locked share', locked: true, shares: [{ access: [40], member: [40] }], level: 0 },
  {
    title: 'a locked share, direct left',
    locked: true,
    direct: [10],
    shares: [{ access: [40], member: [40] }],
    level: 10,
  },
  {
    title: 'a locked share, group left',
    locked: true,
    group: [20],
    shares: [{ access: [40], member: [40] }],
    level: 20,
  },
  {
    title: 'direct, group and share together',
    direct: [10],
    group: [20],
    shares: [{ access: [30], member: [40] }],
    level: 30,
  },
  {
    title: 'direct and group above the share',
    direct: [40],
    group: [30],
    shares: [{ access: [10], member: [50] }],
    level: 40,
  },
  { title: 'the owner of the personal namespace', who: 'owner', level: 50 },
  { title: 'that owner as an expired guest', who: 'owner', direct: [10, PAST], level: 50 },
  { title: 'an administrator', who: 'admin', level: 50 },
  { title: 'an administrator as guest', who: 'admin', direct: [10], level: 50 },
  { title: 'an external developer', who: 'external', direct: [30], level: 30 },
  { title: 'an external reporter of the group', who: 'external', group: [20], level: 20 },
  { title: 'an external stranger', who: 'external', level: 0 },
];

describe('effective access', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
  });
  beforeEach(untilMidnightIsFar);

  const day = ([, endsIn]: Term) => (endsIn === undefined ? null : dayFromNow(endsIn));

  const personFor = ({ who }: Case): Promise<Person> | Person => {
    if (who === 'owner') return owner;
    return trellis.factories.user({ admin: who === 'admin', external: who === 'external' });
  };

  /** A private project, in a group when the case has one. */
  async function projectFor({ group, locked = false }: Case, person: Person): Promise<MadeProject> {
    const options: ProjectOptions = {};
    if (group !== undefined) {
      const home = await trellis.factories.group(admin, { visibilityLevel: 0 });
      await trellis.factories.addToGroup(home, person, group[0], day(group));
      options.namespaceId = home.id;
    }
    const project = await trellis.factories.project(group ? admin : owner, options);
    await trellis.rows('DELETE FROM project_members WHERE project_id = $1', [project.id]);
    await trellis.rows(
      `UPDATE namespaces SET share_with_group_lock = $2
        WHERE id = (SELECT namespace_id FROM projects WHERE id = $1)`,
      [project.id, locked],
    );
    return project;
  }

  async function grant(given: Case, project: MadeProject, person: Person): Promise<void> {
    const { direct, shares = [] } = given;
    if (direct) await trellis.factories.addToProject(project, person, direct[0], day(direct));
    for (const { access, member, deleted = false } of shares) {
      const group: MadeGroup = await trellis.factories.group(admin, { visibilityLevel: 0 });
      await trellis.factories.addToGroup(group, person, member[0], day(member));
      await trellis.factories.share(project, group, access[0], day(access));
      if (deleted) {
        await trellis.rows('UPDATE namespaces SET deleted_at = now() WHERE id = $1', [group.id]);
      }
    }
  }

  /** Whether the first request of a fetch or a push is answered; the later ones are authorized alike. */
  const isGranted = async (
    service: 'git-upload-pack' | 'git-receive-pack',
    project: MadeProject,
    person: Person | null,
  ): Promise<boolean> => {
    const asked = request(trellis.url).get(`/${project.fullPath}.git/info/refs?service=${service}`);
    if (person !== null) asked.auth(person.user.username, person.token);
    const { status } = await asked;
    expect([200, 401, 403, 404]).toContain(status);
    return status === 200;
  };
  const fetches = (project: MadeProject, person: Person | null) =>
    isGranted('git-upload-pack', project, person);
  const pushes = (project: MadeProject, person: Person | null) =>
    isGranted('git-receive-pack', project, person);

  /** The effective level, by what it lets somebody do; the project may be gone afterwards. */
  async function observedLevel(project: MadeProject, person: Person): Promise<number> {
    const path = `/projects/${project.id}`;
    const seen = await trellis.as(person).get(path);
    const [mayFetch, mayPush] = [await fetches(project, person), await pushes(project, person)];
    const removal = await trellis.as(person).delete(path);
    const can = [
      seen.status === 200,
      mayFetch,
      mayPush,
      seen.status === 200 && 'runners_token' in (seen.body as object),
      removal.status === 200,
    ];
    // Each level can what those below it can, and nothing else.
    const level = can.filter(Boolean).length;
    expect(can).toEqual(can.map((_, index) => index < level));
    expect(removal.status).toBe(level === 0 ? 404 : level === 5 ? 200 : 403);
    return level * 10;
  }

  /** What single answers and lists say of somebody's access. */
  async function assertTold(given: Case, project: MadeProject, person: Person): Promise<void> {
    // Administrators have their level without being members, and are listed where they are.
    const isMember = given.who === 'admin' ? given.direct !== undefined : given.level > 0;
    const listed = await trellis.as(person).get('/projects?per_page=100').expect(200);
    const ids = (listed.body as { id: number }[]).map(({ id }) => id);
    expect(ids.includes(project.id)).toBe(isMember);
    const users = await trellis.as(admin).get(`/projects/${project.id}/users?per_page=100`);
    const userIds = (users.body as { id: number }[]).map(({ id }) => id);
    expect(userIds.includes(person.user.id)).toBe(isMember);
    if (given.level === 0) return;
    const seen = await trellis.as(person).get(`/projects/${project.id}`).expect(200);
    const lasting = (term?: Term) =>
      term === undefined || (term[1] ?? TOMORROW) < TOMORROW
        ? null
        : { access_level: term[0], notification_level: 3 };
    expect((seen.body as { permissions: object }).permissions).toEqual({
      project_access: lasting(given.direct),
      group_access: lasting(given.group),
    });
  }

  it.each(CASES)('$title: $level', async (given) => {
    const person = await personFor(given);
    const project = await projectFor(given, person);
    await grant(given, project, person);
    await assertTold(given, project, person);
    expect(await observedLevel(project, person)).toBe(given.level);
  });

  describe('by visibility, without a membership', () => {
    let external: Person;
    let stranger: Person;

    beforeAll(async () => {
      external = await trellis.factories.user({ external: true });
      stranger = await trellis.factories.user();
    });

    it.each([
      [0, 'nobody', []],
      [10, 'users who are not external', ['stranger']],
      [20, 'everybody', ['stranger', 'external', 'anonymous']],
    ])(
      'level %d can be read and fetched by %s, and pushed to by no one',
      async (level, _, readers) => {
        const project = await trellis.factories.project(owner, { visibilityLevel: level });
        expect(await pushes(project, owner)).toBe(true);
        for (const [name, person] of [
          ['stranger', stranger],
          ['external', external],
          ['anonymous', null],
        ] as const) {
          const reads = readers.includes(name);
          const client = person === null ? trellis.anonymous : trellis.as(person);
          const seen = await client.get(`/projects/${project.id}`).expect(reads ? 200 : 404);
          expect('runners_token' in (seen.body as object)).toBe(false);
          expect(await fetches(project, person)).toBe(reads);
          expect(await pushes(project, person)).toBe(false);
        }
      },
    );

    it('gives a guest of a public project the same code access as any visitor', async () => {
      const project = await trellis.factories.project(owner, { visibilityLevel: 20 });
      await trellis.factories.addToProject(project, external, 10);
      expect(await fetches(project, external)).toBe(true);
      expect(await pushes(project, external)).toBe(false);
    });
  });

  it('is none for blocked accounts at every level, Git included', async () => {
    const project = await trellis.factories.project(owner);
    const blocked = await trellis.factories.user();
    await trellis.factories.addToProject(project, blocked, 40);
    expect(await fetches(project, blocked)).toBe(true);
    await trellis.rows(`UPDATE users SET state = 'blocked' WHERE id = $1`, [blocked.user.id]);
    await trellis.as(blocked).get(`/projects/${project.id}/members`).expect(401);
    expect(await fetches(project, blocked)).toBe(false);
    expect(await pushes(project, blocked)).toBe(false);
  });
});
