import { Checkout, numberedMessages } from '../../support/checkout.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

interface CommitBody {
  id: string;
  title: string;
}

describe('commits', () => {
  let trellis: Trellis;
  let owner: Person;
  let project: MadeProject;
  let work: Checkout;
  let base: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user();
    project = await trellis.factories.project(owner);
    base = `/projects/${String(project.id)}/repository/commits`;
    work = await Checkout.create(trellis, project, owner);
    await work.commitAll(numberedMessages(25));
    await work.git('checkout', '--quiet', '-b', 'feature/slash', 'HEAD~3');
    await work.commit('On the feature\n\nWith a body.', 'feature.txt');
    await work.git('checkout', '--quiet', 'master');
    await work.git('merge', '--quiet', '--no-ff', '-m', 'Merge the feature', 'feature/slash');
    await work.git('tag', '-a', '-m', 'Release', 'v1.0', 'HEAD~1');
    expect((await work.push('--all')).code).toBe(0);
    expect((await work.push('--tags')).code).toBe(0);
  });
  afterAll(() => work.remove());

  const titles = (body: unknown) => (body as CommitBody[]).map(({ title }) => title);

  describe('GET repository/commits', () => {
    it('requires a credential, a readable project and the right to read code', async () => {
      await trellis.anonymous.get(base).expect(401);
      const guest = await trellis.factories.user();
      const hidden = await trellis.as(guest).get(base).expect(404);
      expect(hidden.body).toEqual({ message: '404 Project Not Found' });
      await trellis.rows(
        'INSERT INTO project_members (project_id, user_id, access_level) VALUES ($1, $2, 10)',
        [project.id, guest.user.id],
      );
      await trellis.as(guest).get(base).expect(403);
    });

    it('returns parameter errors before it looks for the project', async () => {
      const asOwner = trellis.as(owner);
      const since = await asOwner.get('/projects/999999/repository/commits?since=noon').expect(400);
      expect(since.body).toEqual({
        message: '"since" must be a timestamp in ISO 8601 format: YYYY-MM-DDTHH:MM:SSZ',
      });
      const page = await asOwner.get(`${base}?per_page=many`).expect(400);
      expect(page.body).toEqual({ error: 'per_page is invalid' });
    });

    it('lists commits in the order of git, in pages', async () => {
      const expected = (await work.git('rev-list', '--topo-order', 'master')).split('\n');
      const first = await trellis.as(owner).get(base).expect(200);
      const second = await trellis.as(owner).get(`${base}?page=2`).expect(200);
      const ids = [first, second].flatMap(({ body }) => (body as CommitBody[]).map(({ id }) => id));
      expect(ids).toEqual(expected);
      expect(first.headers).toMatchObject({ 'x-total': '27', 'x-next-page': '2' });
      expect(second.headers).toMatchObject({ 'x-next-page': '', 'x-prev-page': '1' });
      const zero = await trellis.as(owner).get(`${base}?page=0`).expect(200);
      expect(zero.body).toEqual(first.body);
      expect(zero.headers).toMatchObject({ 'x-page': '1', 'x-prev-page': '' });
      // git counts what it leaves out in 32 bits.
      for (const query of [
        'page=21475191&per_page=100',
        'path=feature.txt&page=42949674&per_page=100',
      ])
        expect((await trellis.as(owner).get(`${base}?${query}`).expect(200)).body).toEqual([]);
    });

    it('shows each with its documented fields', async () => {
      const answer = await trellis.as(owner).get(`${base}?ref_name=feature/slash`).expect(200);
      const id = await work.git('rev-parse', 'feature/slash');
      const date = await work.git('log', '-1', '--format=%cI', id);
      expect((answer.body as object[])[0]).toEqual({
        id,
        short_id: id.slice(0, 8),
        title: 'On the feature',
        message: 'On the feature\n\nWith a body.\n',
        author_name: 'Ada',
        author_email: 'ada@example.com',
        committer_name: 'Ada',
        committer_email: 'ada@example.com',
        created_at: `${date.slice(0, 19)}.000+00:00`,
        status: null,
        allow_failure: false,
      });
    });

    it('starts from a revision, and is empty for an unknown one', async () => {
      const head = await work.git('rev-parse', 'v1.0^{commit}');
      const list = async (ref: string) => {
        const path = `${base}?per_page=1&ref_name=${encodeURIComponent(ref)}`;
        const answer = await trellis.as(owner).get(path).expect(200);
        return (answer.body as CommitBody[]).map(({ id }) => id);
      };
      for (const ref of ['v1.0', head, head.slice(0, 10)]) expect(await list(ref)).toEqual([head]);
      for (const ref of ['absent', 'HEAD@{1}', 'master..v1.0', '-n1', '--all', '@{-1}']) {
        expect(await list(ref)).toEqual([]);
      }
    });

    it('filters by since and until, both inclusive, and by a path', async () => {
      const when = await work.git('log', '-1', '--format=%cI', 'feature/slash');
      const moment = encodeURIComponent(new Date(when).toISOString());
      const around = await trellis
        .as(owner)
        .get(`${base}?per_page=100&since=${moment}&until=${moment}`)
        .expect(200);
      const same = await work.git('log', '--format=%H %cI', 'master');
      const expected = same.split('\n').filter((row) => row.endsWith(when));
      expect((around.body as CommitBody[]).map(({ id }) => id).sort()).toEqual(
        expected.map((row) => row.slice(0, 40)).sort(),
      );
      const onPath = await trellis.as(owner).get(`${base}?path=feature.txt`).expect(200);
      expect(titles(onPath.body)).toEqual(['On the feature']);
      const beyond = await trellis.as(owner).get(`${base}?until=1999-01-01`).expect(200);
      expect(beyond.body).toEqual([]);
    });

    it('is empty for an empty repository', async () => {
      const empty = await trellis.factories.project(owner);
      const path = `/projects/${String(empty.id)}/repository/commits`;
      const answer = await trellis.as(owner).get(path).expect(200);
      expect(answer.body).toEqual([]);
      expect(answer.headers).toMatchObject({ 'x-total': '0' });
    });

    it('starts no process and takes the same statements for any page size once warm', async () => {
      const get = (size: number) =>
        trellis
          .as(owner)
          .get(`${base}?per_page=${String(size)}`)
          .expect(200);
      await get(100);
      const spawned = trellis.git.spawnCount;
      const one = await trellis.statements.during(() => get(1));
      const twenty = await trellis.statements.during(() => get(20));
      expect(twenty).toHaveLength(one.length);
      expect(twenty.length).toBeLessThanOrEqual(3);
      expect(trellis.git.spawnCount).toBe(spawned);
    });
  });

  describe('GET repository/commits/:sha', () => {
    it('requires a credential and an existing commit', async () => {
      await trellis.anonymous.get(`${base}/master`).expect(401);
      for (const sha of ['absent', '0'.repeat(40), 'f'.repeat(40), 'HEAD@%7B1%7D', '-x', 'a%0Ab']) {
        const answer = await trellis.as(owner).get(`${base}/${sha}`).expect(404);
        expect(answer.body).toEqual({ message: '404 Commit Not Found' });
      }
    });

    it('shows a commit by hash, short hash, branch (encoded or not) and tag', async () => {
      const id = await work.git('rev-parse', 'feature/slash');
      const names = [id, id.slice(0, 8), 'feature/slash', 'feature%2Fslash'];
      for (const name of names) {
        const answer = await trellis.as(owner).get(`${base}/${name}`).expect(200);
        expect(answer.body).toEqual({
          id,
          short_id: id.slice(0, 8),
          title: 'On the feature',
          message: 'On the feature\n\nWith a body.\n',
          author_name: 'Ada',
          author_email: 'ada@example.com',
          committer_name: 'Ada',
          committer_email: 'ada@example.com',
          created_at: expect.any(String),
          parent_ids: [await work.git('rev-parse', 'feature/slash~1')],
          committed_date: expect.stringMatching(/^\d{4}-.*\.000\+00:00$/),
          authored_date: expect.stringMatching(/^\d{4}-.*\.000\+00:00$/),
          stats: { additions: 3, deletions: 0, total: 3 },
          status: null,
        });
      }
      const tagged = await trellis.as(owner).get(`${base}/v1.0`).expect(200);
      expect(tagged.body).toMatchObject({ id: await work.git('rev-parse', 'v1.0^{commit}') });
    });

    it('keeps the time zone of authors', async () => {
      const away = await Checkout.create(trellis, project, owner);
      try {
        await away.git('pull', '--quiet', away.remote, 'master');
        const date = '2017-01-09T10:30:00+02:30';
        await away.git('commit', '--quiet', '--allow-empty', '-m', 'Far', '--date', date);
        expect((await away.push('HEAD:refs/heads/far')).code).toBe(0);
        const answer = await trellis.as(owner).get(`${base}/far`).expect(200);
        expect(answer.body).toMatchObject({
          authored_date: '2017-01-09T10:30:00.000+02:30',
          stats: { additions: 0, deletions: 0, total: 0 },
        });
      } finally {
        await away.remove();
      }
    });
  });

  describe('GET repository/branches', () => {
    const branches = () => `/projects/${String(project.id)}/repository/branches`;

    it('requires a credential', async () => {
      await trellis.anonymous.get(branches()).expect(401);
      await trellis.anonymous.get(`${branches()}/master`).expect(401);
    });

    it('lists branches by name with their commits, protection and whether they are merged', async () => {
      const answer = await trellis.as(owner).get(branches()).expect(200);
      const list = answer.body as { name: string }[];
      expect(list.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['feature/slash', 'master']),
      );
      expect(list.map(({ name }) => name)).toEqual(list.map(({ name }) => name).sort());
      expect(list.find(({ name }) => name === 'master')).toMatchObject({
        protected: true,
        developers_can_push: false,
        developers_can_merge: false,
        merged: true,
      });
      expect(list.find(({ name }) => name === 'feature/slash')).toEqual({
        name: 'feature/slash',
        commit: {
          id: await work.git('rev-parse', 'feature/slash'),
          parent_ids: [await work.git('rev-parse', 'feature/slash~1')],
          message: 'On the feature\n\nWith a body.\n',
          author_name: 'Ada',
          author_email: 'ada@example.com',
          authored_date: expect.any(String),
          committer_name: 'Ada',
          committer_email: 'ada@example.com',
          committed_date: expect.any(String),
        },
        protected: false,
        developers_can_push: false,
        developers_can_merge: false,
        merged: true,
      });
    });

    it('shows one, with slashes encoded or not, and returns 404 for unknown ones', async () => {
      for (const name of ['feature/slash', 'feature%2Fslash']) {
        const answer = await trellis.as(owner).get(`${branches()}/${name}`).expect(200);
        expect(answer.body).toMatchObject({ name: 'feature/slash' });
      }
      for (const name of ['absent', 'v1.0', 'feature', '..%2Ftags%2Fv1.0', '-x', 'a%20b']) {
        const answer = await trellis.as(owner).get(`${branches()}/${name}`).expect(404);
        expect(answer.body).toEqual({ message: '404 Branch Not Found' });
      }
    });
  });
});
