import { type MadeGroup, type Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

jest.setTimeout(180_000);

const TITLE = 'next release';

interface RequestBody {
  id: number;
  iid: number;
  labels: string[];
  milestone: { id: number; title: string; project_id?: number; group_id?: number } | null;
}

describe('labels and milestones of groups on merge requests', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let group: MadeGroup;
  let pushed: PushedProject;
  let milestoneId: number;

  beforeAll(async () => {
    trellis = await Trellis.shared({ runsJobs: true });
    owner = await trellis.factories.user({ projectsLimit: 100 });
    projects = new PushedProjects(trellis, owner);
  });
  beforeEach(async () => {
    group = await trellis.factories.group(owner);
    pushed = await projects.make({ namespaceId: group.id });
    const path = `/groups/${String(group.id)}`;
    for (const name of ['shared', 'needs review']) {
      await v4().post(`${path}/labels`, { name, color: '#d9534f' }).expect(201);
    }
    const { body } = await v4().post(`${path}/milestones`, { title: TITLE }).expect(201);
    milestoneId = (body as { id: number }).id;
  });
  afterAll(() => projects.remove());

  const v3 = () => trellis.as(owner);
  const v4 = () => trellis.as(owner).v4;
  const at = (rest = '') => `/projects/${String(pushed.project.id)}/merge_requests${rest}`;
  const one = ({ iid }: RequestBody, rest = '') => at(`/${String(iid)}${rest}`);
  const read = async (request: RequestBody): Promise<RequestBody> =>
    (await v4().get(one(request)).expect(200)).body as RequestBody;
  const listed = async (path: string): Promise<number[]> =>
    ((await v4().get(path).expect(200)).body as RequestBody[]).map(({ id }) => id);

  async function push(branch: string, ...options: string[]): Promise<string> {
    const { work } = pushed;
    await work.commit(branch);
    const given = options.flatMap((option) => ['-o', option]);
    const { code, stderr } = await work.try(
      'push',
      ...given,
      work.remote,
      `HEAD:refs/heads/${branch}`,
    );
    expect([code, stderr]).toEqual([0, stderr]);
    return stderr;
  }

  async function open(branch: string, fields: object = {}, face = v4()): Promise<RequestBody> {
    await push(branch);
    const names = { source_branch: branch, target_branch: 'master', title: branch };
    const answer = await face.post(at(), { ...names, ...fields });
    expect([200, 201]).toContain(answer.status);
    return answer.body as RequestBody;
  }

  const ownLabels = () =>
    trellis.rows('SELECT name FROM labels WHERE project_id = $1', [pushed.project.id]);

  it('are set by both versions, and filter lists of the project, the group and all', async () => {
    const fields = { labels: 'shared', milestone_id: milestoneId };
    const old = await open('old', fields, v3());
    expect(old).toMatchObject({ labels: ['shared'], milestone: { id: milestoneId, title: TITLE } });
    const request = await open('new', fields);
    expect(request).toMatchObject({
      labels: ['shared'],
      milestone: { id: milestoneId, group_id: group.id },
    });
    const plain = await open('plain');
    const both = [request.id, old.id];
    const title = encodeURIComponent(TITLE);
    for (const path of [at(), `/groups/${String(group.id)}/merge_requests`, '/merge_requests']) {
      expect(await listed(`${path}?labels=shared`)).toEqual(both);
      expect(await listed(`${path}?milestone=${title}`)).toEqual(both);
      expect(await listed(`${path}?labels=shared&milestone=${title}&state=opened`)).toEqual(both);
      expect(await listed(`${path}?not[labels]=shared`)).toContain(plain.id);
      expect(await listed(`${path}?not[labels]=shared`)).not.toContain(old.id);
      expect(await listed(`${path}?not[milestone]=${title}`)).toContain(plain.id);
      expect(await listed(`${path}?not[milestone]=${title}`)).not.toContain(request.id);
    }
    const list = await v3()
      .get(at(`?milestone=${title}&labels=shared`))
      .expect(200);
    expect((list.body as RequestBody[]).map(({ id }) => id)).toEqual(expect.arrayContaining(both));
    await v4().put(one(request), { labels: '', milestone_id: 0 }).expect(200);
    expect(await read(request)).toMatchObject({ labels: [], milestone: null });
    expect(await ownLabels()).toEqual([]);
  });

  it('are set by quick actions of descriptions, comments and drafts', async () => {
    const actions = '/label ~shared ~"needs review"\n/milestone %"next release"';
    const named = {
      labels: ['needs review', 'shared'],
      milestone: { id: milestoneId, group_id: group.id },
    };
    const described = await open('described', { description: `Text\n\n${actions}` });
    expect(await read(described)).toMatchObject(named);

    const commented = await open('commented');
    await v4().post(one(commented, '/notes'), { body: actions }).expect(202);
    expect(await read(commented)).toMatchObject(named);
    const removing = '/unlabel ~"needs review"\n/remove_milestone';
    await v4().post(one(commented, '/notes'), { body: removing }).expect(202);
    expect(await read(commented)).toMatchObject({ labels: ['shared'], milestone: null });
    await v4().post(one(commented, '/notes'), { body: '/relabel ~"needs review"' }).expect(202);
    expect(await read(commented)).toMatchObject({ labels: ['needs review'] });

    const drafted = await open('drafted');
    await v4()
      .post(one(drafted, '/draft_notes'), { note: `Done\n\n${actions}` })
      .expect(201);
    await v4().post(one(drafted, '/draft_notes/bulk_publish')).expect(204);
    expect(await read(drafted)).toMatchObject(named);
    expect(await ownLabels()).toEqual([]);
    const links = await trellis.rows<{ project_id: number | null }>(
      'SELECT DISTINCT project_id FROM label_links WHERE target_type = $1 AND target_id = ANY($2)',
      ['MergeRequest', [described.id, commented.id, drafted.id]],
    );
    expect(links).toEqual([{ project_id: pushed.project.id }]);
  });

  it('are set and removed by push options', async () => {
    const printed = await push(
      'topic',
      ...['merge_request.create', 'merge_request.label=shared', 'merge_request.label=own'],
      `merge_request.milestone=${TITLE}`,
    );
    expect(printed).not.toContain('there is no such');
    const [request] = (await v4().get(at()).expect(200)).body as [RequestBody];
    expect(request).toMatchObject({
      labels: ['own', 'shared'],
      milestone: { id: milestoneId, group_id: group.id },
    });
    expect(await ownLabels()).toEqual([{ name: 'own' }]);
    await push('topic', 'merge_request.unlabel=shared', 'merge_request.unlabel=own');
    expect(await read(request)).toMatchObject({ labels: [], milestone: { id: milestoneId } });
  });
});
