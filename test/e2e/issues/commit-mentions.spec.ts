import { type Checkout, remoteOf } from '../../support/checkout.js';
import { runJobsOf } from '../../support/due-jobs.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { type IssueBody, openIssue, pathOf } from '../../support/issues.js';
import { addMergeRequests } from '../../support/merge-request-rows.js';
import { pathOf as pathOfRequest } from '../../support/merge-requests.js';
import { type NoteBody, notePath } from '../../support/notes.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { memberOf } from '../../support/pushed-refs.js';
import { countLockWaits } from '../../support/table-lock.js';
import { Trellis } from '../../support/trellis.js';
import { until } from '../../support/until.js';

jest.setTimeout(120_000);

type Place = 'source' | 'fork' | 'hidden' | 'other';

describe('a commit that is pushed to a public project and to its forks', () => {
  let trellis: Trellis;
  let owner: Person;
  let stranger: Person;
  let mallory: Person;
  let pushed: PushedProjects;
  let projects: Record<Place, MadeProject>;
  let work: Checkout;
  let remotes: Record<Place, string>;
  let issue: IssueBody;
  let request: { id: number; iid: number; project_id: number };
  /** One for each test. */
  let requests: (typeof request)[];

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    stranger = await trellis.factories.user();
    mallory = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, owner);
    const made = await pushed.make({ visibilityLevel: 20 });
    ({ work } = made);
    projects = {
      source: made.project,
      fork: await forkOf(made.project, owner, 20),
      hidden: await forkOf(made.project, mallory, 0),
      other: await forkOf(made.project, mallory, 0),
    };
    remotes = {
      source: work.remote,
      fork: remoteOf(trellis, projects.fork, owner),
      hidden: remoteOf(trellis, projects.hidden, mallory),
      other: remoteOf(trellis, projects.other, mallory),
    };
    for (const to of ['fork', 'hidden', 'other'] as const) await push(to, 'master');
    const row = { authorId: owner.user.id, state: 'closed' as const };
    const ids = await addMergeRequests(trellis, projects.source, Array<typeof row>(20).fill(row));
    requests = ids.map((id, at) => ({ id, iid: at + 1, project_id: projects.source.id }));
  });
  beforeEach(async () => {
    issue = await openIssue(trellis, owner, projects.source);
    request = requests.shift()!;
  });
  afterAll(async () => {
    await pushed.remove();
    await trellis.restore();
  });

  const forkOf = async (source: MadeProject, person: Person, visibilityLevel: number) => {
    const fork = await trellis.factories.project(person, { visibilityLevel });
    await trellis
      .as(await trellis.factories.admin())
      .post(`/projects/${String(fork.id)}/fork/${String(source.id)}`)
      .expect(200);
    return fork;
  };
  const push = async (to: Place, branch: string): Promise<void> => {
    const { code, stderr } = await work.try('push', remotes[to], `HEAD:refs/heads/${branch}`);
    if (code !== 0) throw new Error(stderr);
  };
  const commit = (): Promise<string> =>
    work.commit(
      `See ${projects.source.fullPath}#${String(issue.iid)} and ${projects.source.fullPath}!${String(request.iid)}`,
    );
  /** Resolves when everything that follows from pushes is done. */
  const settled = () => runJobsOf(trellis, 'issues');
  const pushSettled = async (to: Place): Promise<void> => {
    await push(to, `${to}-${String(issue.iid)}`);
    await settled();
  };
  /** The notes about commits on the issue and on the request, as a reader sees them on pages of one note. */
  const mentions = async (reader: Person): Promise<string[]> => {
    const seen: NoteBody[] = [];
    for (const path of [pathOf(issue), pathOfRequest(request)]) {
      for (let page = 1, pages = 1; page <= pages; page += 1) {
        const query = `per_page=1&page=${String(page)}`;
        const answer = await trellis.as(reader).get(`${path}/notes?${query}`).expect(200);
        pages = Number((answer.headers as Record<string, string>)['x-total-pages']);
        seen.push(...(answer.body as NoteBody[]));
      }
    }
    return seen.map(({ body }) => body).filter((body) => body.startsWith('mentioned in commit'));
  };
  const textFrom = (from: Place, sha: string) => {
    const { path, fullPath } = projects[from];
    const names = { source: '', fork: `${path}@`, hidden: `${fullPath}@`, other: `${fullPath}@` };
    return `mentioned in commit ${names[from]}${sha}`;
  };
  const expectMention = async (reader: Person, from: Place, sha: string): Promise<void> => {
    const text = textFrom(from, sha);
    expect(await mentions(reader)).toEqual([text, text]);
  };
  const rowsOf = (sha: string) =>
    trellis.rows(`SELECT origin_project_id FROM notes WHERE origin_sha = $1`, [sha]);
  const updatedAt = () => trellis.rows('SELECT updated_at FROM issues WHERE id = $1', [issue.id]);
  /** Pushes to several projects, of which each has looked for mentions before another has written one. */
  const pushAtOnce = async (...all: readonly Place[]): Promise<void> => {
    const runner = trellis.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('SELECT FROM issues WHERE id = $1 FOR NO KEY UPDATE', [issue.id]);
    await Promise.all(all.map((to) => push(to, `at-once-${String(issue.iid)}`)));
    await until(async () => (await countLockWaits(trellis)) >= all.length);
    await runner.rollbackTransaction();
    await runner.release();
    await settled();
  };

  it.each([
    ['source', 'fork'],
    ['fork', 'source'],
  ] as const)('is mentioned once when the %s gets it before the %s', async (first, second) => {
    const sha = await commit();
    await pushSettled(first);
    await pushSettled(second);
    for (const reader of [owner, stranger, mallory]) await expectMention(reader, first, sha);
  });

  it.each(['fork', 'hidden', 'other'] as const)(
    'is not mentioned again from the %s once the source has it',
    async (second) => {
      const sha = await commit();
      await pushSettled('source');
      const before = await updatedAt();
      await pushSettled(second);
      expect(await rowsOf(sha)).toHaveLength(2);
      expect(await updatedAt()).toEqual(before);
    },
  );

  it('is mentioned to each reader once when private forks receive it first', async () => {
    const sha = await commit();
    await pushSettled('hidden');
    await pushSettled('other');
    for (const reader of [owner, stranger]) expect(await mentions(reader)).toEqual([]);
    await expectMention(mallory, 'hidden', sha);
    await pushSettled('source');
    for (const reader of [owner, stranger]) await expectMention(reader, 'source', sha);
    await expectMention(mallory, 'hidden', sha);
  });

  it('is mentioned from a public fork when a private one received it first', async () => {
    const sha = await commit();
    await pushSettled('hidden');
    await pushSettled('fork');
    for (const reader of [owner, stranger]) await expectMention(reader, 'fork', sha);
    await expectMention(mallory, 'hidden', sha);
  });

  it('stays mentioned when the first fork becomes private', async () => {
    const sha = await commit();
    await pushSettled('fork');
    await pushSettled('source');
    const path = `/projects/${String(projects.fork.id)}`;
    await trellis.as(owner).put(path, { visibility_level: 0 }).expect(200);
    await expectMention(stranger, 'source', sha);
    await trellis.as(owner).put(path, { visibility_level: 20 }).expect(200);
    await expectMention(stranger, 'fork', sha);
  });

  it('is found by its ID only by readers who see it in the list', async () => {
    const sha = await commit();
    await pushSettled('hidden');
    await pushSettled('source');
    const ids = await trellis.rows<{ id: number }>(
      `SELECT id FROM notes WHERE origin_sha = $1 AND noteable_type = 'Issue' ORDER BY id`,
      [sha],
    );
    const statuses = async (reader: Person) =>
      Promise.all(
        ids.map(async (note) => (await trellis.as(reader).get(notePath(issue, note))).status),
      );
    expect(await statuses(stranger)).toEqual([404, 200]);
    expect(await statuses(mallory)).toEqual([200, 404]);
  });

  it.each([
    ['source', 'fork'],
    ['source', 'hidden'],
    ['hidden', 'fork'],
    ['hidden', 'other'],
  ] as const)(
    'is mentioned to each reader once when the %s and the %s get it at the same time',
    async (one, another) => {
      const sha = await commit();
      await pushAtOnce(one, another);
      expect(await mentions(mallory)).toHaveLength(2);
      const seen = [one, another].filter((place) => place === 'source' || place === 'fork');
      for (const reader of [owner, stranger]) {
        const texts = seen.map((place) => textFrom(place, sha));
        const found = await mentions(reader);
        expect(found).toHaveLength(texts.length > 0 ? 2 : 0);
        for (const text of found) expect(texts).toContain(text);
      }
    },
  );
});

describe('a commit that is pushed to a private project and to private forks of its members', () => {
  it('is mentioned to each member once', async () => {
    const trellis = await Trellis.shared({ runsJobs: true });
    const owner = await trellis.factories.user();
    const pushed = new PushedProjects(trellis, owner);
    try {
      const { project, work } = await pushed.make();
      const member = await memberOf(trellis, project, 30);
      const fork = await trellis.factories.project(member);
      const forkRemote = remoteOf(trellis, fork, member);
      expect((await work.try('push', forkRemote, 'HEAD:refs/heads/master')).code).toBe(0);
      const issue = await openIssue(trellis, owner, project);
      const sha = await work.commit(`See ${project.fullPath}#${String(issue.iid)}`);
      const mentions = async (reader: Person) => {
        const { body } = await trellis
          .as(reader)
          .get(`${pathOf(issue)}/notes`)
          .expect(200);
        return (body as NoteBody[]).map((note) => note.body);
      };
      const fromFork = `mentioned in commit ${fork.fullPath}@${sha}`;
      for (const [remote, seen] of [
        [forkRemote, []],
        [work.remote, [`mentioned in commit ${sha}`]],
      ] as const) {
        expect((await work.try('push', remote, 'HEAD:refs/heads/topic')).code).toBe(0);
        await runJobsOf(trellis, 'issues');
        expect(await mentions(owner)).toEqual(seen);
        expect(await mentions(member)).toEqual([fromFork]);
      }
    } finally {
      await pushed.remove();
      await trellis.restore();
    }
  });
});
