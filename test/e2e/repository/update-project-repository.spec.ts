import { ProjectStorage } from '../../../src/modules/storage/index.js';
import type { MadeProject, Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

describe('PUT /projects/:id, of the repository', () => {
  let trellis: Trellis;
  let owner: Person;
  let pushed: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, owner);
  });
  afterAll(() => pushed.remove());

  const pathOf = ({ id }: MadeProject) => `/projects/${String(id)}`;
  const make = () => trellis.factories.project(owner);
  const as = (person: Person) => trellis.as(person);

  async function row({ id }: MadeProject): Promise<Record<string, unknown>> {
    const rows = await trellis.rows('SELECT * FROM projects WHERE id = $1', [id]);
    return rows[0]!;
  }

  it('sets an existing branch as the default, and HEAD', async () => {
    const { project, work } = await pushed.make();
    expect((await work.push('HEAD:refs/heads/topic/a')).code).toBe(0);
    const missing = await as(owner)
      .put(pathOf(project), { default_branch: 'nowhere', description: 'x' })
      .expect(400);
    expect(missing.body).toEqual({ message: { default_branch: ['does not exist'] } });
    for (const hostile of ['../HEAD', 'refs/heads/master', 'master\n', '--upload-pack', 'a..b']) {
      const body = { default_branch: hostile };
      const answer = await as(owner).put(pathOf(project), body).expect(400);
      expect(answer.body).toEqual({ message: { default_branch: ['does not exist'] } });
    }
    const answer = await as(owner).put(pathOf(project), { default_branch: 'topic/a' }).expect(200);
    expect(answer.body).toMatchObject({ default_branch: 'topic/a', description: null });
    const storage = trellis.app.get(ProjectStorage);
    const { refs } = storage.repository({ id: project.id, storage: 'default' });
    expect(await refs.head()).toBe('topic/a');
    const head = await work.git('ls-remote', '--symref', work.remote, 'HEAD');
    expect(head).toContain('refs/heads/topic/a');
  });

  it('keeps HEAD right for concurrent changes of the default branch', async () => {
    const { project, work } = await pushed.make();
    const branches = ['one', 'two', 'three'];
    await work.push(...branches.map((branch) => `HEAD:refs/heads/${branch}`));
    const answers = await Promise.all(
      branches.map((branch) => as(owner).put(pathOf(project), { default_branch: branch })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const storage = trellis.app.get(ProjectStorage);
    const { refs } = storage.repository({ id: project.id, storage: 'default' });
    expect(await refs.head()).toBe((await row(project))['default_branch']);
  });

  it('sets no default branch with a name of more than 255 characters', async () => {
    const long = `${'a'.repeat(200)}/${'b'.repeat(100)}`;
    const project = await make();
    const file = { commit_message: 'Change', branch_name: long, content: 'x' };
    const files = `${pathOf(project)}/repository/files`;
    await as(owner)
      .post(files, { ...file, file_path: 'a' })
      .expect(200);
    await as(owner)
      .post(files, { ...file, file_path: 'b' })
      .expect(200);
    expect(await row(project)).toMatchObject({ default_branch: null });
    const tooLong = { message: { default_branch: ['is too long (maximum is 255 characters)'] } };
    await as(owner).put(pathOf(project), { default_branch: long }).expect(400, tooLong);
    const work = await pushed.checkout(project, owner);
    await work.commit('Normal');
    expect((await work.push('HEAD:refs/heads/normal')).code).toBe(0);
    const { body } = await as(owner).get(pathOf(project)).expect(200);
    expect(body).toMatchObject({ default_branch: 'normal' });
    await as(owner).put(pathOf(project), { default_branch: long }).expect(400, tooLong);
  });

  it('sets the first default branch of an empty repository', async () => {
    const project = await make();
    const answer = await as(owner).put(pathOf(project), { default_branch: 'trunk' }).expect(200);
    expect(answer.body).toMatchObject({ default_branch: null });
    const storage = trellis.app.get(ProjectStorage);
    const { refs } = storage.repository({ id: project.id, storage: 'default' });
    expect(await refs.head()).toBe('trunk');
    // As after a crash between the commit and HEAD's following: what was committed decides.
    await refs.setHead('master');
    const work = await pushed.checkout(project, owner);
    await work.commit();
    const { code } = await work.push('HEAD:refs/heads/master', 'HEAD:refs/heads/trunk');
    expect(code).toBe(0);
    expect(await row(project)).toMatchObject({ default_branch: 'trunk' });
    expect(await refs.head()).toBe('trunk');
  });

  it('imports only into an empty repository', async () => {
    const body = { import_url: 'https://git.example.com/a/b.git' };
    const { project } = await pushed.make();
    const refused = await as(owner).put(pathOf(project), body).expect(400);
    expect(refused.body).toEqual({
      message: { import_url: ['is not allowed unless the repository is empty'] },
    });
    const empty = await make();
    await as(owner).put(pathOf(empty), body).expect(200);
    expect(await row(empty)).toMatchObject({ repository_state: 'importing' });
    await as(owner).put(pathOf(empty), body).expect(400);
  });
});
