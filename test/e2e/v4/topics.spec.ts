import { RemoveUnusedTopicsJob } from '../../../src/modules/projects/topics/remove-unused-topics.job.js';
import { TopicsRepository } from '../../../src/modules/projects/topics/topics.repository.js';
import { UnitOfWork } from '../../../src/platform/database/index.js';
import { type MadeProject, type Person, unique } from '../../support/factories.js';
import { Trellis } from '../../support/trellis.js';

interface TopicBody {
  id: number;
  name: string;
  total_projects_count: number;
}

interface ProjectBody {
  id: number;
  topics: string[];
  tag_list: string[];
}

describe('topics of version 4', () => {
  let trellis: Trellis;
  let owner: Person;
  let other: Person;
  let admin: Person;
  /** A word that only topics of one test have. */
  let word: string;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    other = await trellis.factories.user({ projectsLimit: 1000 });
    admin = await trellis.factories.admin();
  });
  beforeEach(() => {
    word = `topic-${unique()}`;
  });

  const pathOf = ({ id }: Pick<MadeProject, 'id'>) => `/projects/${String(id)}`;
  const put = (project: Pick<MadeProject, 'id'>, body: object, who = owner) =>
    trellis.as(who).v4.put(pathOf(project), body);
  const setTopics = async (project: MadeProject, topics: readonly string[]): Promise<string[]> =>
    ((await put(project, { topics }).expect(200)).body as ProjectBody).topics;
  const read = async (project: Pick<MadeProject, 'id'>): Promise<ProjectBody> =>
    (await trellis.as(owner).v4.get(pathOf(project)).expect(200)).body as ProjectBody;
  const list = async (query: string, who = owner): Promise<TopicBody[]> =>
    (await trellis.as(who).v4.get(`/topics?${query}`).expect(200)).body as TopicBody[];
  const countsOf = async (): Promise<[string, number][]> =>
    (await list(`search=${word}`, admin))
      .map(({ name, total_projects_count: count }): [string, number] => [name, count])
      .toSorted(([a], [b]) => a.localeCompare(b));
  const make = (options = {}) => trellis.factories.project(owner, options);

  describe('of a project', () => {
    it('are set on creation and changed, as a list or separated by commas', async () => {
      const names = [`${word}-b`, `${word}-a`];
      const created = await trellis
        .as(owner)
        .v4.post('/projects', { name: word, topics: names })
        .expect(201);
      const project = created.body as ProjectBody;
      expect([project.topics, project.tag_list]).toEqual([names, names]);
      expect(await read(project)).toMatchObject({ topics: names, tag_list: names });
      const third = `${word}-c`;
      const changed = await put(project, { topics: ` ${third} ,, ${word}-a` }).expect(200);
      expect((changed.body as ProjectBody).topics).toEqual([third, `${word}-a`]);
      const old = await put(project, { tag_list: [`${word}-b`] }).expect(200);
      expect((old.body as ProjectBody).topics).toEqual([`${word}-b`]);
      const untouched = await put(project, { description: 'Other' }).expect(200);
      expect((untouched.body as ProjectBody).topics).toEqual([`${word}-b`]);
    });

    it('are removed by an empty list or text', async () => {
      for (const empty of [[], '']) {
        const project = await make();
        await setTopics(project, [word]);
        const { body } = await put(project, { topics: empty }).expect(200);
        expect((body as ProjectBody).topics).toEqual([]);
      }
    });

    it('are shown by version 3 as tag_list', async () => {
      const project = await make();
      await setTopics(project, [word]);
      const { body } = await trellis.as(owner).get(pathOf(project)).expect(200);
      expect((body as ProjectBody).tag_list).toEqual([word]);
    });

    it('are one whatever their case, in the spelling of the first', async () => {
      const [first, second] = [await make(), await make()];
      expect(await setTopics(first, [`${word}-Ä`, `${word}-ä`])).toEqual([`${word}-Ä`]);
      expect(await setTopics(second, [`${word.toUpperCase()}-ä`])).toEqual([`${word}-Ä`]);
      expect(await countsOf()).toEqual([[`${word}-Ä`, 2]]);
    });

    it('have up to 255 characters on one line, and are 100 at most', async () => {
      const project = await make();
      const refusal = async (topics: readonly string[]) =>
        (await put(project, { topics }).expect(400)).body as object;
      expect(await refusal(['x'.repeat(256)])).toEqual({
        message: { topics: ['is too long (maximum is 255 characters)'] },
      });
      expect(await refusal([`${word}\nsecond`])).toEqual({ message: { topics: ['is invalid'] } });
      const many = Array.from({ length: 101 }, (_, n) => `${word}-${String(n)}`);
      expect(Object.keys((await refusal(many)) as { message: object })).toEqual(['message']);
      expect((await put(project, { topics: { a: 1 } }).expect(400)).body).toEqual({
        error: 'topics is invalid',
      });
      expect(await countsOf()).toEqual([]);
      expect(await setTopics(project, many.slice(1))).toHaveLength(100);
      const refused = { name: word, path: 'a b', topics: [word] };
      await trellis.as(owner).v4.post('/projects', refused).expect(400);
      expect((await list(`search=${word}`, admin)).map(({ name }) => name)).not.toContain(word);
    });

    it('are set by masters', async () => {
      const project = await make({ visibilityLevel: 20 });
      const developer = await trellis.factories.user();
      await trellis.factories.addToProject(project, developer, 30);
      await put(project, { topics: [word] }, developer).expect(403);
      expect((await read(project)).topics).toEqual([]);
    });
  });

  describe('GET /projects?topic=', () => {
    const idsOf = async (topic: string, who: Person | null = owner, path = '/projects') => {
      const client = who === null ? trellis.anonymous : trellis.as(who);
      const query = `topic=${encodeURIComponent(topic)}&order_by=id&sort=asc`;
      const answer = await client.v4.get(`${path}?${query}`).expect(200);
      return (answer.body as ProjectBody[]).map(({ id }) => id);
    };

    it('lists the projects with all topics that the caller may see', async () => {
      const [a, b] = [`${word}-a`, `${word}-b`];
      const group = await trellis.factories.group(owner);
      const both = await make({ visibilityLevel: 20, namespaceId: group.id });
      const one = await make({ visibilityLevel: 20 });
      const hidden = await make();
      await setTopics(both, [a, b]);
      await setTopics(one, [a]);
      await setTopics(hidden, [b, a]);
      expect(await idsOf(a)).toEqual([both.id, one.id, hidden.id]);
      expect(await idsOf(`${b},${a.toUpperCase()}`)).toEqual([both.id, hidden.id]);
      expect(await idsOf(a, other)).toEqual([both.id, one.id]);
      expect(await idsOf(`${a},${b}`, null)).toEqual([both.id]);
      expect(await idsOf(`${a},${word}-unknown`)).toEqual([]);
      expect(await idsOf(Array.from({ length: 500 }, () => a).join(','))).toHaveLength(3);
      const many = Array.from({ length: 500 }, (_, n) => `x${String(n)}`);
      expect(await idsOf([a, ...many].join(','))).toEqual([]);
      expect(await idsOf(', ')).toContain(hidden.id);
      expect(await idsOf(word)).toEqual([]);
      expect(await idsOf(a, owner, `/groups/${String(group.id)}/projects`)).toEqual([both.id]);
      const user = `/users/${String(owner.user.id)}/projects`;
      expect(await idsOf(a, other, user)).toEqual([one.id]);
      const page = await trellis.as(owner).v4.get(`/projects?topic=${a}&per_page=1`).expect(200);
      expect(page.headers).toMatchObject({ 'x-total': '3', 'x-next-page': '2' });
      expect((page.body as ProjectBody[])[0]).toMatchObject({ topics: [b, a] });
    });
  });

  describe('GET /topics', () => {
    it('requires a credential', async () => {
      await trellis.anonymous.v4.get('/topics').expect(401);
      await trellis.anonymous.v4.get('/topics/1').expect(401);
    });

    it('returns topics by their number of projects, in pages', async () => {
      const [first, second] = [
        await make({ visibilityLevel: 10 }),
        await make({ visibilityLevel: 20 }),
      ];
      await setTopics(first, [`${word}-a`, `${word}-b`]);
      await setTopics(second, [`${word}-b`, `${word}-c`]);
      const search = `search=${word}`;
      const topics = await list(search, other);
      expect(topics[0]).toEqual({
        id: expect.any(Number) as number,
        name: `${word}-b`,
        title: `${word}-b`,
        description: null,
        total_projects_count: 2,
        avatar_url: null,
      });
      expect(topics.map(({ name }) => name.slice(-1))).toEqual(['b', 'a', 'c']);
      const page = await trellis.as(other).v4.get(`/topics?${search}&per_page=1&page=2`);
      expect(page.body).toEqual([topics[1]]);
      expect(page.headers).toMatchObject({ 'x-total': '3' });
      const one = await trellis
        .as(other)
        .v4.get(`/topics/${String(topics[0]?.id)}`)
        .expect(200);
      expect(one.body).toEqual(topics[0]);
      const absent = await trellis.as(other).v4.get('/topics/2147483647').expect(404);
      expect(absent.body).toEqual({ message: '404 Topic Not Found' });
      expect((await trellis.as(other).v4.get('/topics/x').expect(400)).body).toEqual({
        error: 'topic_id is invalid',
      });
    });

    it('returns the topics of projects that the caller may see, and counts those', async () => {
      const external = await trellis.factories.user({ external: true });
      const names = ['private', 'internal', 'public'].map((kind) => `${word}-${kind}`);
      const projects = [await make(), await make({ visibilityLevel: 10 })];
      const open = await make({ visibilityLevel: 20 });
      await setTopics(open, names.slice(2));
      await setTopics(projects[1] as MadeProject, names.slice(1));
      await setTopics(projects[0] as MadeProject, names);
      const seenBy = async (who: Person) =>
        (await list(`search=${word}`, who)).map(({ name, total_projects_count: count }) => [
          name.slice(word.length + 1),
          count,
        ]);
      const all = [
        ['public', 3],
        ['internal', 2],
        ['private', 1],
      ];
      expect(await seenBy(admin)).toEqual(all);
      const seen = [
        ['public', 2],
        ['internal', 1],
      ];
      expect([await seenBy(owner), await seenBy(other)]).toEqual([seen, seen]);
      expect(await seenBy(external)).toEqual([['public', 1]]);
      const [, internal, hidden] = await list(`search=${word}`, admin);
      const path = (topic?: TopicBody) => `/topics/${String(topic?.id)}`;
      await trellis.as(admin).v4.get(path(hidden)).expect(200);
      await trellis.as(owner).v4.get(path(hidden)).expect(404);
      await trellis.as(other).v4.get(path(internal)).expect(200);
      await trellis.as(external).v4.get(path(internal)).expect(404);
      expect(await list(`search=${word}&without_projects=true`)).toEqual([]);

      await put(open, { visibility: 'private' }).expect(200);
      expect(await seenBy(external)).toEqual([]);
      expect(await seenBy(other)).toEqual([
        ['public', 1],
        ['internal', 1],
      ]);
      expect(await seenBy(admin)).toEqual(all);
      await put(open, { visibility: 'public', topics: [names[0]] }).expect(200);
      expect(await seenBy(external)).toEqual([['private', 1]]);
    });

    it('finds a part of the name of three characters or more', async () => {
      await setTopics(await make({ visibilityLevel: 10 }), [`${word}_x`]);
      const part = `${word.slice(3).toUpperCase()}_x`;
      expect(await list(`search=${part}`)).toHaveLength(1);
      expect(await list(`search=${word.slice(0, -1)}%25`)).toEqual([]);
      expect(await list('search=to')).toEqual([]);
    });

    it('counts projects that are not deleted, and lists topics without any', async () => {
      const [first, second] = [await make(), await make()];
      await setTopics(first, [`${word}-a`, `${word}-b`]);
      await setTopics(second, [`${word}-a`]);
      expect(await countsOf()).toEqual([
        [`${word}-a`, 2],
        [`${word}-b`, 1],
      ]);
      await trellis.as(owner).v4.delete(pathOf(first)).expect(202);
      expect(await countsOf()).toEqual([
        [`${word}-a`, 1],
        [`${word}-b`, 0],
      ]);
      await setTopics(second, []);
      const unused = await list(`search=${word}&without_projects=true`, admin);
      expect(unused.map(({ name }) => name)).toEqual([`${word}-a`, `${word}-b`]);
      await trellis.rows('DELETE FROM projects WHERE id = $1', [first.id]);
      expect(await countsOf()).toEqual([
        [`${word}-a`, 0],
        [`${word}-b`, 0],
      ]);
      await setTopics(second, [`${word}-b`]);
      expect(await list(`search=${word}&without_projects=true`, admin)).toHaveLength(1);
    });

    it('counts concurrent changes', async () => {
      const projects = await Promise.all([1, 2, 3, 4, 5, 6].map(() => make()));
      const names = ['a', 'b', 'c'].map((letter) => `${word}-${letter}`);
      await Promise.all(
        projects.map((project, at) =>
          setTopics(project, at % 2 === 0 ? names : names.toReversed()),
        ),
      );
      expect(await countsOf()).toEqual(names.map((name) => [name, 6]));
      const group = await trellis.factories.group(owner);
      const inGroup = await Promise.all([1, 2, 3].map(() => make({ namespaceId: group.id })));
      await Promise.all(inGroup.map((project) => setTopics(project, names)));
      await Promise.all([
        ...projects.map((project) => trellis.as(owner).v4.delete(pathOf(project)).expect(202)),
        trellis
          .as(owner)
          .delete(`/groups/${String(group.id)}`)
          .expect(200),
      ]);
      expect((await countsOf()).map(([, count]) => count)).toEqual([0, 0, 0]);
    });
  });

  describe('without projects', () => {
    const job = () => trellis.app.get(RemoveUnusedTopicsJob);
    const sweep = () => job().handle({}, { signal: AbortSignal.timeout(60_000) });
    const age = (name: string) =>
      trellis.rows(
        `UPDATE topics SET created_at = now() - interval '2 days' WHERE lower(name) = lower($1)`,
        [name],
      );
    const namesOf = async () => (await countsOf()).map(([name]) => name);

    it('are removed once they are a day old, and none that a project has', async () => {
      const project = await make();
      const [used, young, old] = ['used', 'young', 'old'].map((end) => `${word}-${end}`) as [
        string,
        string,
        string,
      ];
      await setTopics(project, [used, young, old]);
      await setTopics(project, [used]);
      await age(used);
      await age(old);
      await sweep();
      expect(await namesOf()).toEqual([used, young]);
      expect(await setTopics(project, [old])).toEqual([old]);
      expect(await namesOf()).toEqual([old, used, young]);
    });

    it('are kept for a project that is about to have them', async () => {
      const project = await make();
      await setTopics(project, [word]);
      await setTopics(project, []);
      await age(word);
      const topics = trellis.app.get(TopicsRepository);
      const work = trellis.app.get(UnitOfWork);
      await work.run(async () => {
        expect(await topics.ensure([word])).toEqual([word]);
        await work.detached(sweep);
      });
      expect(await namesOf()).toEqual([word]);
      await sweep();
      expect(await namesOf()).toEqual([]);
    });
  });
});
