import { ReleaseLinksRepository } from '../../../src/modules/releases/index.js';
import { remoteOf } from '../../support/checkout.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { makeMilestone, openIssue } from '../../support/issues.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { memberOf, PushedRefs } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';
import { basicUser } from '../../support/v4-bodies.js';

jest.setTimeout(120_000);

interface LinkBody {
  id: number;
  name: string;
  url: string;
}

interface ReleaseBody {
  tag_name: string;
  name: string;
  assets: { count: number; links: LinkBody[] };
}

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/) as string;
const ID = expect.any(Number) as number;
const ABSENT = { message: '404 Not found' };
const FORBIDDEN = { message: '403 Forbidden' };
const TAKEN = ['has already been taken'];

describe('releases of version 4', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let made: PushedProject;
  let project: MadeProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    projects = new PushedProjects(trellis, owner);
  });
  beforeEach(async () => {
    made = await projects.make();
    ({ project } = made);
  });
  afterAll(() => projects.remove());

  const at = (rest = '') => `/projects/${String(project.id)}/releases${rest}`;
  const tagAt = (rest: string) => `/projects/${String(project.id)}/repository/tags${rest}`;
  const page = (rest = '') => `${trellis.url}/${project.fullPath}/-${rest}`;
  const links = (tag: string, rest = '') => at(`/${tag}/assets/links${rest}`);
  const v4 = (person = owner) => trellis.as(person).v4;
  const v3 = () => trellis.as(owner);
  const refs = () => new PushedRefs(trellis, project);

  const create = async (body: object): Promise<ReleaseBody> =>
    (await v4().post(at(), body).expect(201)).body as ReleaseBody;
  const tagsListed = async (query = ''): Promise<string[]> => {
    const { body } = await v4().get(at(query)).expect(200);
    return (body as ReleaseBody[]).map(({ tag_name }) => tag_name);
  };
  const rowsOf = (table: string) =>
    trellis.rows(
      `SELECT t.* FROM ${table} t JOIN releases r ON r.id = t.release_id WHERE r.project_id = $1`,
      [project.id],
    );

  /** The whole answer. */
  const shown = (tag: string, more: object = {}) => ({
    name: tag,
    tag_name: tag,
    description: '',
    created_at: TIME,
    released_at: TIME,
    upcoming_release: false,
    author: basicUser(owner, trellis.url),
    commit: expect.objectContaining({
      id: made.head,
      web_url: page(`/commit/${made.head}`),
    }) as object,
    commit_path: `/${project.fullPath}/-/commit/${made.head}`,
    tag_path: `/${project.fullPath}/-/tags/${tag.replace('@', '%40')}`,
    assets: { count: 4, sources: sources(tag), links: [] },
    evidences: [],
    _links: pages(tag),
    ...more,
  });
  const sources = (tag: string) =>
    ['zip', 'tar.gz', 'tar.bz2', 'tar'].map((format) => ({
      format,
      url: `${trellis.url}/api/v4/projects/${String(project.id)}/repository/archive.${format}?sha=${encodeURIComponent(tag)}`,
    }));
  const pages = (tag: string) => {
    const list = (kind: string, state: string) =>
      page(`/${kind}?release_tag=${encodeURIComponent(tag)}&scope=all&state=${state}`);
    const self = page(`/releases/${encodeURIComponent(tag)}`);
    return {
      closed_issues_url: list('issues', 'closed'),
      closed_merge_requests_url: list('merge_requests', 'closed'),
      edit_url: `${self}/edit`,
      merged_merge_requests_url: list('merge_requests', 'merged'),
      opened_issues_url: list('issues', 'opened'),
      opened_merge_requests_url: list('merge_requests', 'opened'),
      self,
    };
  };

  it('require a tag, and refuse malformed parameters', async () => {
    const refused = async (body: object, error: string) =>
      expect((await v4().post(at(), body).expect(400)).body).toEqual({ error });
    await refused({}, 'tag_name is missing');
    await refused({ tag_name: 'v1', released_at: 'soon' }, 'released_at is invalid');
    await refused(
      { tag_name: 'v1', assets: { links: [{}] } },
      'assets[links][0][name] is missing, assets[links][0][url] is missing',
    );
    await refused(
      { tag_name: 'v1', milestones: ['x'], milestone_ids: [1] },
      'milestones, milestone_ids are mutually exclusive',
    );
    const invalid = async (body: object, message: object | string) =>
      expect(
        (
          await v4()
            .post(at(), { ref: 'master', ...body })
            .expect(400)
        ).body,
      ).toEqual({ message });
    await invalid({ tag_name: '' }, 'Tag name invalid');
    await invalid({ tag_name: 'HEAD' }, 'Tag name invalid');
    await invalid({ tag_name: 'a'.repeat(256) }, 'Tag name invalid');
    await invalid({ tag_name: 'v1', ref: 'nowhere' }, 'Target nowhere is invalid');
    await invalid(
      { tag_name: 'v1', name: 'n'.repeat(256) },
      {
        name: ['is too long (maximum is 255 characters)'],
      },
    );
    await invalid(
      { tag_name: 'v1', milestones: ['xyz', 'abc'] },
      'Milestone(s) not found: xyz, abc',
    );
    await invalid({ tag_name: 'v1', milestone_ids: [0] }, 'Milestone(s) not found: 0');
    const none = await v4().post(at(), { tag_name: 'v1' }).expect(422);
    expect(none.body).toEqual({ message: 'Ref is not specified' });
    expect(await refs().all()).toEqual(['refs/heads/master']);
    const { body } = await v4().put(at('/v1'), {}).expect(400);
    expect(body).toEqual({
      error:
        'name, description, released_at, milestones, milestone_ids are missing, at least one parameter must be provided',
    });
    await v4().get(at('?order_by=name')).expect(400);
    await v4().get(at('?sort=up')).expect(400);
  });

  it('are created with their tags, read, listed, changed and deleted', async () => {
    const first = await v4().post(at(), { tag_name: 'v1', ref: 'master' }).expect(201);
    expect(first.body).toEqual(shown('v1'));
    expect(await refs().target('refs/tags/v1')).toBe(made.head);
    const text = { name: 'Two', description: '# Notes', released_at: '2019-03-25 10:00:00' };
    const annotated = { tag_name: 'a/b@2.0', ref: made.head, tag_message: 'Annotated' };
    const second = await v4()
      .post(at(), { ...text, ...annotated })
      .expect(201);
    const two = shown('a/b@2.0', { ...text, released_at: '2019-03-25T10:00:00.000Z' });
    expect(second.body).toEqual(two);
    expect(await refs().git('cat-file', '-t', 'refs/tags/a/b@2.0')).toBe('tag');
    expect((await v4().get(at('/a%2Fb%402.0')).expect(200)).body).toEqual(two);
    expect((await v4().get(at()).expect(200)).body).toEqual([shown('v1'), two]);

    const next = { name: 'Second', released_at: '2100-01-01T00:00:00+09:00' };
    const changed = await v4().put(at('/a%2Fb@2.0'), next).expect(200);
    const later = {
      ...two,
      ...next,
      released_at: '2099-12-31T15:00:00.000Z',
      upcoming_release: true,
    };
    expect(changed.body).toEqual(later);
    expect((await v4().delete(at('/a%2Fb@2.0')).expect(200)).body).toEqual(later);
    expect(await refs().target('refs/tags/a/b@2.0')).not.toBeNull();
    expect((await v4().get(at('/a%2Fb@2.0')).expect(404)).body).toEqual(ABSENT);
    expect((await v4().put(at('/a%2Fb@2.0'), next).expect(403)).body).toEqual(FORBIDDEN);
    expect((await v4().delete(at('/a%2Fb@2.0')).expect(403)).body).toEqual(FORBIDDEN);
  });

  it('are ordered by their dates, and filtered by their last change', async () => {
    const dates = { old: '2001-01-01', young: '2003-01-01', middle: '2002-01-01' };
    for (const [tag_name, released_at] of Object.entries(dates)) {
      await create({ tag_name, ref: 'master', released_at });
    }
    expect(await tagsListed()).toEqual(['young', 'middle', 'old']);
    expect(await tagsListed('?sort=asc')).toEqual(['old', 'middle', 'young']);
    expect(await tagsListed('?order_by=created_at')).toEqual(['middle', 'young', 'old']);
    expect(await tagsListed('?order_by=created_at&sort=asc&per_page=1&page=2')).toEqual(['young']);
    await trellis.rows(
      "UPDATE releases SET updated_at = '2010-01-01' WHERE project_id = $1 AND tag = 'middle'",
      [project.id],
    );
    expect(await tagsListed('?updated_before=2011-01-01')).toEqual(['middle']);
    expect(await tagsListed('?updated_after=2011-01-01')).toEqual(['young', 'old']);
    const { headers } = await v4().get(at('?per_page=2')).expect(200);
    expect(headers).toMatchObject({ 'x-total': '3', 'x-next-page': '2' });
  });

  it('are the rows that version 3 shows as those of tags', async () => {
    await create({ tag_name: 'v1', ref: 'master', name: 'One' });
    const read = async (tag: string) =>
      (
        await v3()
          .get(tagAt(`/${tag}`))
          .expect(200)
      ).body as object;
    expect(await read('v1')).toMatchObject({ release: { tag_name: 'v1', description: '' } });
    await v3().put(tagAt('/v1/release'), { description: 'Text' }).expect(200);
    expect((await v4().get(at('/v1')).expect(200)).body).toEqual(
      shown('v1', { name: 'One', description: 'Text' }),
    );
    await v4().delete(at('/v1')).expect(200);
    expect(await read('v1')).toMatchObject({ release: null });
    await v3().post(tagAt('/v1/release'), { description: 'Again' }).expect(200);
    expect((await v4().get(at('/v1')).expect(200)).body).toEqual(
      shown('v1', { description: 'Again' }),
    );
    // As version 0.2.0 writes them.
    await trellis.rows('UPDATE releases SET author_id = NULL WHERE project_id = $1', [project.id]);
    expect((await v4().get(at('/v1')).expect(200)).body).toEqual(
      shown('v1', { description: 'Again', author: null }),
    );
    const tag = { tag_name: 'v2', ref: 'master', release_description: 'Two' };
    await v3().post(tagAt(''), tag).expect(200);
    expect((await v4().get(at('/v2')).expect(200)).body).toEqual(
      shown('v2', { description: 'Two' }),
    );
  });

  it('end with their tags, deleted by either version or a push', async () => {
    const milestone = await makeMilestone(trellis, project, 'One');
    for (const tag_name of ['a', 'b', 'c']) {
      const assets = { links: [{ name: 'x', url: 'https://x.example.com/' }] };
      await create({ tag_name, ref: 'master', assets, milestone_ids: [milestone] });
    }
    await v4().delete(tagAt('/a')).expect(204);
    await v3().delete(tagAt('/b')).expect(200);
    await made.work.git('push', '--quiet', remoteOf(trellis, project, owner), ':refs/tags/c');
    expect(await tagsListed()).toEqual([]);
    expect(await rowsOf('release_links')).toEqual([]);
    expect(await rowsOf('release_milestones')).toEqual([]);
    await v4()
      .get(`/projects/${String(project.id)}/milestones/${String(milestone)}`)
      .expect(200);
  });

  it('use a tag that exists, as a call does that is repeated after a crash', async () => {
    await v4().post(tagAt(''), { tag_name: 'v1', ref: 'master' }).expect(201);
    expect(await create({ tag_name: 'v1', ref: 'nowhere', tag_message: 'Not used' })).toEqual(
      shown('v1'),
    );
    expect(await refs().git('cat-file', '-t', 'refs/tags/v1')).toBe('commit');
  });

  it('made twice at once are one and a 409', async () => {
    for (const ref of [undefined, 'master']) {
      const tag_name = ref === undefined ? 'v1' : 'v2';
      if (ref === undefined) {
        await v4().post(tagAt(''), { tag_name, ref: 'master' }).expect(201);
      }
      const calls = [v4(), v4(), v4(), v4()].map((client) => client.post(at(), { tag_name, ref }));
      const answers = await Promise.all(calls);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
      const refused = answers.find(({ status }) => status === 409);
      expect(refused?.body).toEqual({ message: 'Release already exists' });
    }
    expect(await tagsListed('?sort=asc')).toEqual(['v1', 'v2']);
  });

  it('answer 503 when the release is lost after git has made the tag, and are made by the same call again', async () => {
    const insert = jest
      .spyOn(trellis.app.get(ReleaseLinksRepository), 'insert')
      .mockRejectedValueOnce(new Error('Connection terminated unexpectedly'));
    const body = { tag_name: 'v1', ref: 'master' };
    const lost = await v4().post(at(), body);
    insert.mockRestore();
    expect(lost.status).toBe(503);
    expect(lost.headers).toHaveProperty('retry-after', '5');
    expect(await refs().target('refs/tags/v1')).toBe(made.head);
    expect((await v4().get(at('/v1')).expect(404)).body).toEqual(ABSENT);
    expect(await create(body)).toEqual(shown('v1'));
  });

  it('have milestones by titles or IDs, with their issues', async () => {
    const one = await makeMilestone(trellis, project, 'One');
    const two = await makeMilestone(trellis, project, 'Two, too');
    for (const [title, state_event] of [
      ['Open', 'reopen'],
      ['Closed', 'close'],
    ] as const) {
      const { id } = await openIssue(trellis, owner, project, { title, milestone_id: one });
      await v3().put(`/projects/${String(project.id)}/issues/${String(id)}`, { state_event });
    }
    await openIssue(trellis, owner, project, { title: 'S', milestone_id: one, confidential: true });
    const body = { tag_name: 'v1', ref: 'master', milestones: ['Two, too', 'One'] };
    const { milestones } = (await v4().post(at(), body).expect(201)).body as {
      milestones: object[];
    };
    expect(milestones).toEqual([
      {
        ...{ id: one, iid: 1, project_id: project.id, title: 'One', description: null },
        ...{
          state: 'active',
          created_at: TIME,
          updated_at: TIME,
          due_date: null,
          start_date: null,
        },
        ...{ expired: false, web_url: page('/milestones/1') },
        issue_stats: { total: 2, closed: 1 },
      },
      expect.objectContaining({ id: two, issue_stats: { total: 0, closed: 0 } }),
    ]);
    const titles = async (change: object) => {
      const { body: changed } = await v4().put(at('/v1'), change).expect(200);
      const listed = (changed as { milestones?: { title: string }[] }).milestones;
      return listed?.map(({ title }) => title);
    };
    expect(await titles({ milestone_ids: [two] })).toEqual(['Two, too']);
    expect(await titles({ name: 'Kept' })).toEqual(['Two, too']);
    expect(await titles({ milestones: ['One'] })).toEqual(['One']);
    const missing = await v4()
      .put(at('/v1'), { milestones: ['One', 'xyz'] })
      .expect(400);
    expect(missing.body).toEqual({ message: 'Milestone(s) not found: xyz' });
    const other = await projects.make();
    const elsewhere = await makeMilestone(trellis, other.project, 'Elsewhere');
    await v4()
      .put(at('/v1'), { milestone_ids: [elsewhere] })
      .expect(400);
    const many = Array.from({ length: 101 }, (_, index) => `t${String(index)}`);
    expect((await v4().put(at('/v1'), { milestones: many }).expect(400)).body).toEqual({
      message: { milestones: ['are too many (maximum is 100)'] },
    });
    const off = { issues_enabled: false, merge_requests_enabled: false };
    await v3()
      .put(`/projects/${String(project.id)}`, off)
      .expect(200);
    expect((await v4().get(at('/v1')).expect(200)).body).not.toHaveProperty('milestones');
    const on = { issues_enabled: true, merge_requests_enabled: true };
    await v3()
      .put(`/projects/${String(project.id)}`, on)
      .expect(200);
    await v4()
      .delete(`/projects/${String(project.id)}/milestones/${String(one)}`)
      .expect(204);
    expect((await v4().get(at('/v1')).expect(200)).body).not.toHaveProperty('milestones');
    expect(await titles({ milestones: ['Two, too'] })).toEqual(['Two, too']);
    expect(await titles({ milestones: [] })).toBeUndefined();
  });

  it('have links, made with them and by themselves, the newest first', async () => {
    const given = [
      { name: 'a', url: 'https://a.example.com/x?y=1' },
      { name: 'b', url: 'ftp://b.example.com/b', link_type: 'package', filepath: '/bin/b' },
    ];
    const { assets } = await create({ tag_name: 'a/1', ref: 'master', assets: { links: given } });
    const direct = page('/releases/a%2F1/downloads');
    const a = { id: ID, ...given[0], direct_asset_url: given[0]?.url, link_type: 'other' };
    const b = {
      ...{ id: ID, name: 'b', url: 'ftp://b.example.com/b', link_type: 'package' },
      direct_asset_url: `${direct}/bin/b`,
    };
    expect(assets).toEqual({ count: 6, sources: sources('a/1'), links: [b, a] });
    const third = { name: 'c', url: 'http://c.example.com/', direct_asset_path: '/c' };
    const c = (await v4().post(links('a%2F1'), third).expect(201)).body as LinkBody;
    expect(c).toEqual({
      ...{ id: ID, name: 'c', url: third.url, link_type: 'other', direct_asset_url: `${direct}/c` },
    });
    const list = await v4().get(links('a%2F1')).expect(200);
    expect(list.body).toEqual([c, b, a]);
    const second = await v4().get(links('a%2F1', '?per_page=1&page=2')).expect(200);
    expect(second.body).toEqual([b]);
    const path = links('a%2F1', `/${String(c.id)}`);
    expect((await v4().get(path).expect(200)).body).toEqual(c);
    const change = { name: 'C', link_type: 'image', filepath: '' };
    const changed = await v4().put(path, change).expect(200);
    const now = { ...c, name: 'C', link_type: 'image', direct_asset_url: c.url };
    expect(changed.body).toEqual(now);
    expect((await v4().delete(path).expect(200)).body).toEqual(now);
    for (const verb of ['get', 'put', 'delete'] as const) {
      const gone = await v4().call(verb, path).send({ name: 'x' }).expect(404);
      expect(gone.body).toEqual(ABSENT);
    }
    expect((await v4().get(links('none')).expect(404)).body).toEqual(ABSENT);
    expect((await v4().post(links('none'), third).expect(404)).body).toEqual(ABSENT);
  });

  it('refuse links that are malformed, taken or too many', async () => {
    const url = 'https://a.example.com/';
    const link = { name: 'a', url, filepath: '/a' };
    await create({ tag_name: 'v1', ref: 'master', assets: { links: [link] } });
    const refused = async (change: object, message: object) => {
      const body = { name: 'b', url: `${url}b`, ...change };
      expect((await v4().post(links('v1'), body).expect(400)).body).toEqual({ message });
    };
    const scheme = ['is blocked: Only allowed schemes are http, https, ftp'];
    const withoutSlashes = [
      'https:evil.example.com',
      'HTTPS:\\\\evil.example.com\\x',
      'ftp:/x.example.com',
    ];
    for (const bad of [
      ...['javascript:alert(1)', 'data:text/html,x', 'x', '//x/y', 'https://'],
      ...withoutSlashes,
    ]) {
      await refused({ url: bad }, { url: scheme });
    }
    await refused({ url: 'https://x/\u0007' }, { url: scheme });
    await refused({ url: '' }, { url: ["can't be blank"] });
    await refused(
      { url: `https://x/${'ü'.repeat(1_024)}` },
      {
        url: ['is too long (maximum is 2048 characters)'],
      },
    );
    await refused({ name: ' ' }, { name: ["can't be blank"] });
    await refused({ name: 'n'.repeat(256) }, { name: ['is too long (maximum is 255 characters)'] });
    for (const filepath of ['a', '/a/', '/a//b', '/../b', '/a b', '/%2e']) {
      await refused({ filepath }, { filepath: ['is invalid'] });
    }
    await refused(
      { filepath: `/${'a'.repeat(128)}` },
      {
        filepath: ['is too long (maximum is 128 characters)'],
      },
    );
    await refused(link, { name: TAKEN, url: TAKEN, filepath: TAKEN });
    await v4()
      .post(links('v1'), { name: 'b', url: `${url}b`, link_type: 'moon' })
      .expect(400);
    const b = (
      await v4()
        .post(links('v1'), { name: 'b', url: `${url}b` })
        .expect(201)
    ).body as LinkBody;
    const path = links('v1', `/${String(b.id)}`);
    expect((await v4().put(path, { name: 'a' }).expect(400)).body).toEqual({
      message: { name: TAKEN },
    });
    expect((await v4().put(path, {}).expect(400)).body).toEqual({
      error:
        'name, url, direct_asset_path, link_type are missing, at least one parameter must be provided',
    });
    await v4().put(path, { name: 'b' }).expect(200);

    const several = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        name: String(index),
        url: url + String(index),
      }));
    const tooMany = { message: { links: ['are too many (maximum is 100)'] } };
    const more = { tag_name: 'v2', ref: 'master', assets: { links: several(101) } };
    expect((await v4().post(at(), more).expect(400)).body).toEqual(tooMany);
    const twice = { tag_name: 'v2', ref: 'master', assets: { links: [link, link] } };
    expect((await v4().post(at(), twice).expect(400)).body).toEqual({
      message: { name: TAKEN, url: TAKEN, filepath: TAKEN },
    });
    expect(await refs().all()).toEqual(['refs/heads/master', 'refs/tags/v1']);
    await create({ ...more, assets: { links: several(99) } });
    const racing = ['x', 'y'].map((name) => v4().post(links('v2'), { name, url: url + name }));
    const answers = await Promise.all(racing);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect(answers.find(({ status }) => status === 400)?.body).toEqual(tooMany);
  });

  it('refuse links with names and addresses that are the same once they are stored', async () => {
    const url = 'https://a.example.com/';
    const [one, two] = ['\ud800', '\ud801'].map((end) => ({
      name: `x${end}`,
      url: `${url}${end}`,
    }));
    const twice = { tag_name: 'v1', ref: 'master', assets: { links: [one, two] } };
    const taken = { message: { name: TAKEN, url: TAKEN } };
    expect((await v4().post(at(), twice).expect(400)).body).toEqual(taken);
    expect(await refs().all()).toEqual(['refs/heads/master']);
    await create({ ...twice, assets: { links: [one] } });
    expect((await v4().post(links('v1'), two).expect(400)).body).toEqual(taken);
    const other = await v4()
      .post(links('v1'), { name: 'y', url: `${url}y` })
      .expect(201);
    const path = links('v1', `/${String((other.body as LinkBody).id)}`);
    expect((await v4().put(path, two).expect(400)).body).toEqual(taken);
  });

  it('redirect from the paths of their links, and from the latest release', async () => {
    const url = 'https://a.example.com/tool?os=linux';
    const assets = { links: [{ name: 'a', url, filepath: '/bin/tool.gz' }] };
    await create({ tag_name: 'a/1', ref: 'master', assets });
    await create({ tag_name: 'v2', ref: 'master', released_at: '2100-01-01' });
    const moved = async (path: string) =>
      (await v4().get(at(path)).expect(302)).headers as { location: string };
    expect((await moved('/a%2F1/downloads/bin/tool.gz')).location).toBe(url);
    await v4().get(at('/a%2F1/downloads/bin/none')).expect(404);
    await v4().get(at('/none/downloads/bin/tool.gz')).expect(404);
    const latest = `${trellis.url}/api/v4${at('/a%2F1')}`;
    expect((await moved('/permalink/latest')).location).toBe(latest);
    expect((await moved('/permalink/latest/downloads/bin/tool.gz?x=1&y=a%20b')).location).toBe(
      `${latest}/downloads/bin/tool.gz?x=1&y=a%20b`,
    );
    for (const suffix of ['..%2f..', '%2e', 'downloads/..%2f..%2fv2']) {
      const outside = await v4().get(at(`/permalink/latest/${suffix}`));
      expect([outside.status, outside.body]).toEqual([404, ABSENT]);
    }
    await v4().delete(at('/a%2F1')).expect(200);
    expect((await v4().get(at('/permalink/latest')).expect(404)).body).toEqual(ABSENT);
  });

  it('are read by who sees the project, as far as they read its code, and written by developers', async () => {
    const assets = { links: [{ name: 'a', url: 'https://a.example.com/', filepath: '/a' }] };
    const { assets: shownAssets } = await create({ tag_name: 'v1', ref: 'master', assets });
    const [link] = shownAssets.links;
    const linkPath = links('v1', `/${String(link?.id)}`);
    const guest = await memberOf(trellis, project, 10);
    const reporter = await memberOf(trellis, project, 20);
    const developer = await memberOf(trellis, project, 30);
    const stranger = await trellis.factories.user();
    const reads = [
      at(),
      at('/v1'),
      at('/v1/downloads/a'),
      at('/permalink/latest'),
      links('v1'),
      linkPath,
    ];
    const statuses = async (client: ReturnType<typeof v4>) =>
      Promise.all(reads.map(async (path) => (await client.get(path)).status));
    const all = [200, 200, 302, 302, 200, 200];
    expect(await statuses(trellis.anonymous.v4)).toEqual(Array(6).fill(404));
    expect(await statuses(v4(stranger))).toEqual(Array(6).fill(404));
    expect(await statuses(v4(guest))).toEqual([200, 403, 403, 403, 403, 403]);
    expect(await statuses(v4(reporter))).toEqual(all);
    const forGuests = {
      ...{ description: '', created_at: TIME, released_at: TIME },
      ...{ upcoming_release: false, author: basicUser(owner, trellis.url), evidences: [] },
      assets: { count: 1, links: [{ ...link, direct_asset_url: link?.url }] },
      _links: {},
    };
    const [row] = await trellis.rows<{ id: number }>(
      'SELECT id FROM releases WHERE project_id = $1',
      [project.id],
    );
    const unnamed = `Release-${String(row?.id)}`;
    const listed = async () => (await v4(guest).get(at()).expect(200)).body as unknown;
    expect(await listed()).toEqual([{ ...forGuests, name: unnamed }]);
    for (const name of ['v1', 'One']) {
      await v4().put(at('/v1'), { name }).expect(200);
      expect(await listed()).toEqual([{ ...forGuests, name: name === 'v1' ? unnamed : name }]);
    }
    const body = { tag_name: 'v1', name: 'x', url: 'https://b.example.com/' };
    const writes = [
      ['post', at()],
      ['put', at('/v1')],
      ['post', links('v1')],
      ['put', linkPath],
      ['delete', linkPath],
      ['delete', at('/v1')],
    ] as const;
    const written = async (client: ReturnType<typeof v4>) => {
      const answered: number[] = [];
      for (const [verb, path] of writes) {
        answered.push((await client.call(verb, path).send(body)).status);
      }
      return answered;
    };
    expect(await written(trellis.anonymous.v4)).toEqual(Array(6).fill(401));
    expect(await written(v4(stranger))).toEqual(Array(6).fill(404));
    expect(await written(v4(reporter))).toEqual(Array(6).fill(403));
    await v3()
      .post(`/projects/${String(project.id)}/archive`)
      .expect(200);
    expect(await written(v4())).toEqual(Array(6).fill(403));
    await v3()
      .post(`/projects/${String(project.id)}/unarchive`)
      .expect(200);
    // The name and address are those of the link that was added before.
    expect(await written(v4(developer))).toEqual([409, 200, 201, 400, 200, 200]);
  });

  it('of public projects are read without a credential', async () => {
    made = await projects.make({ visibilityLevel: 20 });
    ({ project } = made);
    await create({ tag_name: 'v1', ref: 'master' });
    const { edit_url: _, ...forReaders } = pages('v1');
    const view = shown('v1', { _links: forReaders });
    const client = trellis.anonymous.v4;
    expect((await client.get(at()).expect(200)).body).toEqual([view]);
    expect((await client.get(at('/v1')).expect(200)).body).toEqual(view);
    expect((await client.get(links('v1')).expect(200)).body).toEqual([]);
    const person = await trellis.factories.user();
    expect((await v4(person).get(at('/v1')).expect(200)).body).toEqual(view);
  });

  it('cost the same number of statements for one and for many', async () => {
    const make = async (tag_name: string) => {
      const milestone = await makeMilestone(trellis, project, tag_name);
      const assets = { links: [{ name: 'a', url: 'https://a.example.com/' }] };
      await create({ tag_name, ref: 'master', assets, milestone_ids: [milestone] });
    };
    const count = async () => trellis.statements.during(() => v4().get(at()).expect(200));
    await make('v1');
    await count();
    const few = await count();
    for (const tag of ['v2', 'v3', 'v4']) await make(tag);
    await count();
    expect(await count()).toHaveLength(few.length);
  });

  it('stay with the ghost when the account of their author is erased', async () => {
    const author = await memberOf(trellis, project, 30);
    await v4(author).post(at(), { tag_name: 'v1', ref: 'master' }).expect(201);
    const [key] = await trellis.rows<{ confdeltype: string }>(
      "SELECT confdeltype FROM pg_constraint WHERE conname = 'releases_author_fkey'",
    );
    expect(key?.confdeltype).toBe('n');
    const admin = await trellis.factories.admin();
    await trellis
      .as(admin)
      .delete(`/users/${String(author.user.id)}`)
      .expect(200);
    const { body } = await v4().get(at('/v1')).expect(200);
    expect(body).toMatchObject({ author: { username: 'ghost' } });
  });
});
