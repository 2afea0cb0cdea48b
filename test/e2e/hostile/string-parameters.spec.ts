import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

/** Where JSON numbers and booleans are not spelled out, since they would end in a history. */
describe('names of branches and messages', () => {
  let trellis: Trellis;
  let owner: Person;
  let projects: PushedProjects;
  let made: PushedProject;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.admin();
    projects = new PushedProjects(trellis, owner);
    made = await projects.make();
  });
  afterAll(() => projects.remove());

  it('must be strings', async () => {
    const project = `/projects/${String(made.project.id)}`;
    const repository = `${project}/repository`;
    const commit = { branch_name: 'master', commit_message: 'x' };
    const file = { ...commit, file_path: 'a', content: 'a' };
    const actions = { ...commit, actions: [{ action: 'create', file_path: 'a', content: 'a' }] };
    const tag = { tag_name: 'v1', ref: 'master', message: 'x' };
    const request = { source_branch: 'topic', target_branch: 'master', title: 'x' };
    await trellis
      .as(owner)
      .post(`${repository}/branches`, { branch_name: 'topic', ref: 'master' })
      .expect(200);
    const { body } = await trellis.as(owner).post(`${project}/merge_requests`, request).expect(200);
    const own = `${project}/merge_requests/${String((body as { id: number }).id)}`;
    const pick = `${repository}/commits/${made.head}/cherry_pick`;
    const cases: ['post' | 'put' | 'delete', string, object, string[]][] = [
      ['post', `${repository}/files`, file, ['branch_name', 'commit_message']],
      ['put', `${repository}/files`, file, ['branch_name', 'commit_message']],
      ['delete', `${repository}/files`, file, ['branch_name', 'commit_message']],
      ['post', `${repository}/commits`, actions, ['branch_name', 'commit_message']],
      ['post', pick, { branch: 'master' }, ['branch']],
      [
        'post',
        `${repository}/branches`,
        { branch_name: 'a', ref: 'master' },
        ['branch_name', 'ref'],
      ],
      ['post', `${repository}/tags`, tag, ['ref', 'message']],
      ['post', `${project}/statuses/${made.head}`, { state: 'success' }, ['ref']],
      ['post', `${project}/merge_requests`, request, ['source_branch', 'target_branch']],
      ['put', own, {}, ['target_branch']],
      ['put', `${own}/merge`, {}, ['merge_commit_message']],
      ['post', `/projects/user/${String(owner.user.id)}`, { name: 'x' }, ['default_branch']],
      ['put', project, {}, ['default_branch']],
    ];
    const refs = await projectRefs();
    for (const [verb, path, given, names] of cases) {
      for (const name of names) {
        for (const value of [true, false, 0, 2.1, {}, ['master']]) {
          const call = trellis
            .as(owner)
            .call(verb, path)
            .send({ ...given, [name]: value });
          const { status, body: answer } = await call;
          expect({ verb, path, name, value, status, answer }).toEqual({
            ...{ verb, path, name, value },
            status: 400,
            answer: { error: `${name} is invalid` },
          });
        }
      }
    }
    expect(await projectRefs()).toEqual(refs);
    // Other texts are spelled out, and null is "not given".
    const title = await trellis.as(owner).post(`${project}/issues`, { title: 7 }).expect(200);
    expect(title.body).toMatchObject({ title: '7' });
    await trellis
      .as(owner)
      .post(`${repository}/files`, { ...file, branch_name: null })
      .expect(400, { error: 'branch_name is missing' });
  });

  async function projectRefs(): Promise<unknown> {
    const path = `/projects/${String(made.project.id)}/repository`;
    const branches = await trellis.as(owner).get(`${path}/branches`).expect(200);
    const tags = await trellis.as(owner).get(`${path}/tags`).expect(200);
    return [branches.body, tags.body];
  }
});
