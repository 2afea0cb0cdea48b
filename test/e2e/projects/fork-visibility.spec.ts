import type { QueryRunner } from 'typeorm';
import { type MadeProject, type Person } from '../../support/factories.js';
import { Forks } from '../../support/forks.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { untilWaitedFor } from '../../support/table-lock.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(60_000);

const [PRIVATE, INTERNAL, PUBLIC] = [0, 10, 20];
const LINK =
  'INSERT INTO fork_links (forked_to_project_id, forked_from_project_id) VALUES ($1, $2)';

describe('the visibility of forks', () => {
  let trellis: Trellis;
  let admin: Person;
  let owner: Person;
  let people: Person[];
  let projects: PushedProjects;
  let forks: Forks;
  let source: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    admin = await trellis.factories.admin();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    people = [];
    for (let made = 0; made < 4; made += 1) {
      people.push(await trellis.factories.user({ projectsLimit: 1000 }));
    }
    projects = new PushedProjects(trellis, owner);
    forks = new Forks(trellis);
  });
  afterAll(() => projects.remove());

  beforeEach(async () => {
    source = await trellis.factories.project(owner, { visibilityLevel: PUBLIC });
  });

  const person = (index: number): Person => {
    const found = people[index];
    if (found === undefined) throw new Error('There are not so many people');
    return found;
  };
  const pathOf = ({ id }: { id: number }) => `/projects/${String(id)}`;
  const change = (project: MadeProject, level: number) =>
    trellis.as(admin).put(pathOf(project), { visibility_level: level });
  const levelOf = async (project: { id: number }) => (await forks.row(project))['visibility_level'];
  const levelsOf = (...all: MadeProject[]) => Promise.all(all.map(levelOf));

  /** A fork of the source by one person, and a fork of that by another. */
  async function chain(): Promise<[MadeProject, MadeProject]> {
    const first = await forks.make(person(0), source);
    return [first, await forks.make(person(1), first)];
  }

  /** Ways in which a project becomes private. */
  const ways: [string, (project: MadeProject) => Promise<unknown>][] = [
    ['an update', async (project) => change(project, PRIVATE).expect(200)],
    [
      'a transfer into a private group',
      async (project) => {
        const group = await trellis.factories.group(owner, { visibilityLevel: PRIVATE });
        const path = `/groups/${String(group.id)}${pathOf(project)}`;
        return trellis.as(admin).post(path).expect(200);
      },
    ],
  ];

  it.each(ways)(
    'is lowered with that of their source by %s, through all forks',
    async (_, lower) => {
      const [first, second] = await chain();
      const other = await forks.make(person(2), source);
      const beside = await trellis.factories.project(owner, { visibilityLevel: PUBLIC });
      await lower(source);
      expect(await levelsOf(source, first, second, other, beside)).toEqual([
        ...[PRIVATE, PRIVATE, PRIVATE, PRIVATE],
        PUBLIC,
      ]);
    },
  );

  it.each(ways)(
    'hides their code from strangers after %s, also for conditional requests',
    async (_, lower) => {
      const pushed = await projects.make({ visibilityLevel: PUBLIC });
      source = pushed.project;
      const fork = await forks.make(person(0), source);
      await forks.copy(fork, source);
      const stranger = trellis.as(person(3));
      const listed = await stranger.get(`${pathOf(fork)}/repository/commits`).expect(200);
      const shown = await trellis.anonymous.get(pathOf(fork)).expect(200);
      const refs = `${trellis.url}/${fork.fullPath}.git/info/refs?service=git-upload-pack`;
      expect((await fetch(refs)).status).toBe(200);

      await lower(source);

      await trellis.anonymous.get(pathOf(fork)).expect(404);
      await trellis.anonymous
        .get(pathOf(fork))
        .set('If-None-Match', String(shown.headers['etag']))
        .expect(404);
      for (const validator of [String(listed.headers['etag']), '*']) {
        await stranger
          .get(`${pathOf(fork)}/repository/commits`)
          .set('If-None-Match', validator)
          .expect(404);
      }
      expect((await fetch(refs)).status).toBe(401);
      await trellis
        .as(person(0))
        .get(`${pathOf(fork)}/repository/commits`)
        .expect(200);
    },
  );

  it('is only lowered to that of the source, and never raised', async () => {
    const [first, second] = await chain();
    await trellis.as(person(1)).put(pathOf(second), { visibility_level: PRIVATE }).expect(200);
    await change(source, INTERNAL).expect(200);
    expect(await levelsOf(first, second)).toEqual([INTERNAL, PRIVATE]);
    await change(source, PUBLIC).expect(200);
    expect(await levelsOf(first, second)).toEqual([INTERNAL, PRIVATE]);
    await change(first, PUBLIC).expect(200);
    expect(await levelsOf(source, first, second)).toEqual([PUBLIC, PUBLIC, PRIVATE]);
  });

  it('cannot be raised above that of the source', async () => {
    const fork = await forks.make(person(0), source);
    await change(source, PRIVATE).expect(200);
    const refused = await change(fork, INTERNAL).expect(400);
    expect(refused.body).toEqual({
      message: {
        visibility_level: [
          'internal is not allowed since the fork source project has lower visibility.',
        ],
      },
    });
  });

  it('is independent of a deleted or unrelated source', async () => {
    const [first, second] = await chain();
    const other = await forks.make(person(2), source);
    await trellis
      .as(admin)
      .delete(`${pathOf(other)}/fork`)
      .expect(200);
    await trellis.as(admin).delete(pathOf(first)).expect(200);
    await change(source, PRIVATE).expect(200);
    expect(await levelsOf(second, other)).toEqual([PUBLIC, PUBLIC]);
  });

  it('is lowered once where declared relations form a cycle', async () => {
    const [first, second] = await chain();
    await trellis
      .as(admin)
      .post(`${pathOf(source)}/fork/${String(second.id)}`)
      .expect(200);
    await change(first, INTERNAL).expect(200);
    expect(await levelsOf(source, first, second)).toEqual([INTERNAL, INTERNAL, INTERNAL]);
  });

  it('creates an audit entry for each lowered fork', async () => {
    const [first, second] = await chain();
    await change(second, INTERNAL).expect(200);
    const [last] = await trellis.rows<{ id: number }>('SELECT max(id) AS id FROM audit_events');
    await change(source, INTERNAL).expect(200);
    const entries = await trellis.rows(
      `SELECT action, author_id, project_id, target_name, details FROM audit_events
        WHERE id > $1 AND project_id = ANY($2::int[]) ORDER BY project_id`,
      [last?.id, [source.id, first.id, second.id]],
    );
    expect(entries).toEqual(
      [source, first].map(({ id, fullPath }) => ({
        ...{ action: 'project.visibility_changed', author_id: admin.user.id },
        ...{ project_id: id, target_name: fullPath },
        details: { from: 'public', to: 'internal' },
      })),
    );
  });

  describe('during concurrent changes', () => {
    let rival: QueryRunner;

    beforeEach(async () => {
      rival = trellis.dataSource.createQueryRunner();
      await rival.startTransaction();
    });
    afterEach(async () => {
      if (rival.isTransactionActive) await rival.rollbackTransaction();
      await rival.release();
    });

    const lock = ({ id }: MadeProject) =>
      rival.query('SELECT FROM projects WHERE id = $1 FOR NO KEY UPDATE', [id]);
    const setLevel = ({ id }: MadeProject, level: number) =>
      rival.query('UPDATE projects SET visibility_level = $2 WHERE id = $1', [id, level]);

    it('is that of the source for a fork that is created while its source is lowered', async () => {
      await setLevel(source, PRIVATE);
      const asked = forks.ask(person(0), source).then(({ body, status }) => ({ body, status }));
      await untilWaitedFor(trellis, rival);
      await rival.commitTransaction();
      const { body, status } = await asked;
      expect(status).toBe(200);
      expect(body).toMatchObject({ visibility_level: PRIVATE, public: false });
      expect(await levelOf(madeFork(body))).toBe(PRIVATE);
    });

    it('is lowered where a fork of a fork is committed meanwhile', async () => {
      const fork = await forks.make(person(0), source);
      await lock(fork);
      const lowered = change(source, PRIVATE).then(({ status }) => status);
      await untilWaitedFor(trellis, rival);
      const late = await trellis.factories.project(person(1), { visibilityLevel: PUBLIC });
      await rival.query(LINK, [late.id, fork.id]);
      await rival.commitTransaction();
      expect(await lowered).toBe(200);
      expect(await levelsOf(fork, late)).toEqual([PRIVATE, PRIVATE]);
    });

    it('is lowered where a fork is raised concurrently', async () => {
      const fork = await forks.make(person(0), source);
      await change(fork, PRIVATE).expect(200);
      await setLevel(fork, PUBLIC);
      const lowered = change(source, PRIVATE).then(({ status }) => status);
      await untilWaitedFor(trellis, rival);
      await rival.commitTransaction();
      expect(await lowered).toBe(200);
      expect(await levelOf(fork)).toBe(PRIVATE);
    });

    it('never exceeds that of the source', async () => {
      await rival.rollbackTransaction();
      for (const [, lower] of [...ways, ...ways]) {
        source = await trellis.factories.project(owner, { visibilityLevel: PUBLIC });
        const first = await forks.make(person(0), source);
        await Promise.all([
          forks.ask(person(1), source),
          forks.ask(person(2), first),
          trellis.as(person(0)).put(pathOf(first), { visibility_level: PRIVATE }),
          lower(source),
          forks.ask(person(3), source),
          trellis.as(person(0)).put(pathOf(first), { visibility_level: PUBLIC }),
          forks.ask(person(3), first),
        ]);
        const visible = await trellis.rows(
          `SELECT p.id FROM projects p JOIN fork_links f ON f.forked_to_project_id = p.id
            WHERE f.forked_from_project_id = ANY($1::int[]) AND p.visibility_level > $2`,
          [[source.id, first.id], PRIVATE],
        );
        expect(visible).toEqual([]);
      }
    });
  });
});

const madeFork = (body: unknown): { id: number } => body as { id: number };
