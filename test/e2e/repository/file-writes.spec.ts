import type { Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { memberOf, PushedRefs } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

type Verb = 'post' | 'put' | 'delete';

describe('changes of single files', () => {
  let trellis: Trellis;
  let owner: Person;
  let pushed: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, owner);
  });
  afterAll(() => pushed.remove());

  function at(project: { id: number; path: string; fullPath: string }) {
    const url = `/projects/${String(project.id)}/repository/files`;
    const change = (verb: Verb, file_path: string, more: object = {}, person = owner) =>
      trellis
        .as(person)
        .call(verb, url)
        .send({
          file_path,
          branch_name: 'master',
          commit_message: 'Change',
          content: 'x',
          ...more,
        });
    return { url, change, refs: new PushedRefs(trellis, project) };
  }

  async function make() {
    const made = await pushed.make();
    return { ...made, ...at(made.project) };
  }

  it('are refused without a credential, a project, the right, or parameters', async () => {
    const { project, url, change, refs, head } = await make();
    const stranger = await trellis.factories.user();
    const reporter = await memberOf(trellis, project, 20);
    const developer = await memberOf(trellis, project, 30);
    for (const verb of ['post', 'put', 'delete'] as const) {
      await trellis.anonymous.call(verb, url).expect(401);
      await change(verb, 'file.txt', {}, stranger).expect(404);
      await change(verb, 'file.txt', {}, reporter).expect(403, { message: '403 Forbidden' });
      await change(verb, 'file.txt', {}, developer).expect(400, {
        message: 'You are not allowed to push into this branch',
      });
      const content = verb === 'delete' ? '' : ', content is missing';
      await trellis
        .as(owner)
        .call(verb, url)
        .expect(400, {
          error: `file_path is missing, branch_name is missing, commit_message is missing${content}`,
        });
    }
    await change('post', 'a', { encoding: 'hex' }).expect(400, {
      error: 'encoding does not have a valid value',
    });
    const content = 'x'.repeat(21 * 1024 * 1024);
    for (const verb of ['post', 'put'] as const) await change(verb, 'a', { content }).expect(413);
    await trellis
      .as(owner)
      .post(`/projects/${String(project.id)}/archive`)
      .expect(200);
    for (const verb of ['post', 'put', 'delete'] as const) await change(verb, 'a').expect(403);
    expect(await refs.target('refs/heads/master')).toBe(head);
  });

  it('are created, replaced and deleted, one commit each', async () => {
    const { change, refs, work } = await make();
    await work.git('pull', '--quiet', work.remote, 'master');
    await change('post', '/docs/a.md', {
      content: 'one\n',
      author_name: 'Ada',
      author_email: 'ada@example.com',
    }).expect(200, { file_path: '/docs/a.md', branch_name: 'master' });
    const read = await trellis
      .as(owner)
      .get(`/projects/${String(refs.project.id)}/repository/files`)
      .query({ file_path: '/docs/a.md', ref: 'master' })
      .expect(200);
    expect(read.body).toMatchObject({ file_path: '/docs/a.md', size: 4 });
    expect(await refs.git('show', '-s', '--format=%an %ae %cn %s', 'master')).toBe(
      `Ada ada@example.com ${owner.user.name} Change`,
    );
    await change('put', 'docs/a.md', { content: 'dHdvCg==', encoding: 'base64' }).expect(200, {
      file_path: 'docs/a.md',
      branch_name: 'master',
    });
    expect(await refs.git('show', 'master:docs/a.md')).toBe('two');
    await change('delete', 'docs/a.md').expect(200, {
      file_path: 'docs/a.md',
      branch_name: 'master',
    });
    expect(await refs.git('ls-tree', '-r', '--name-only', 'master')).toBe('file.txt');
    expect(await refs.git('rev-list', '--count', 'master')).toBe('4');
    expect((await refs.events()).map(({ action }) => action)).toEqual([
      'pushed new',
      'pushed to',
      'pushed to',
      'pushed to',
    ]);
    await refs.expectSound();
    await work.git('pull', '--quiet', work.remote, 'master');
  });

  it('keep their modes', async () => {
    const { change, refs, work } = await make();
    await work.git('update-index', '--chmod=+x', 'file.txt');
    await work.git('commit', '--quiet', '--message', 'Executable');
    await work.push('HEAD:refs/heads/master');
    await change('put', 'file.txt').expect(200);
    expect(await refs.git('ls-tree', '--format=%(objectmode)', 'master')).toBe('100755');
  });

  it('may create the first commit of an empty repository, and otherwise need an existing branch', async () => {
    const project = await trellis.factories.project(owner);
    const { change, refs } = at(project);
    await change('put', 'a').expect(400, { message: 'File not found' });
    await change('post', 'a', { branch_name: 'first' }).expect(200);
    const answer = await trellis.as(owner).get(`/projects/${String(project.id)}`);
    expect(answer.body).toMatchObject({ default_branch: 'first' });
    for (const branch_name of ['other', 'a..b', '-x', '']) {
      const refused = await change('post', 'b', { branch_name });
      expect([branch_name, refused.status, refused.body]).toEqual([
        branch_name,
        400,
        { message: 'You can only create or edit files when you are on a branch' },
      ]);
    }
    expect(await refs.all()).toEqual(['refs/heads/first']);
    await refs.expectSound();
  });

  it.each([
    [
      'post',
      'file.txt',
      {},
      'Your changes could not be committed because a file with the same name already exists',
    ],
    [
      'post',
      'file.txt/below',
      {},
      'Your changes could not be committed because a file with the same name already exists',
    ],
    ['put', 'absent', {}, 'File not found'],
    ['delete', 'absent', {}, 'File not found'],
    ['post', 'a', { content: '%', encoding: 'base64' }, 'content is not valid base64'],
    ['put', 'file.txt', { content: 'abc', encoding: 'base64' }, 'content is not valid base64'],
    [
      'post',
      '../x',
      {},
      'Your changes could not be committed, because the file name cannot include directory traversal.',
    ],
    [
      'put',
      'a/../file.txt',
      {},
      'Your changes could not be committed, because the file name cannot include directory traversal.',
    ],
    [
      'delete',
      '..',
      {},
      'Your changes could not be committed, because the file name cannot include directory traversal.',
    ],
    [
      'post',
      'a\tb',
      {},
      "Your changes could not be committed, because the file name can contain only letters, digits, '_', '-', '@' and '.'. Separate directories with a '/'.",
    ],
    ['put', 'a//file.txt', {}, 'File not found'],
    ['delete', '.git', {}, 'File not found'],
    ['put', '/', {}, 'File not found'],
    [
      'post',
      '/',
      {},
      "Your changes could not be committed, because the file name can contain only letters, digits, '_', '-', '@' and '.'. Separate directories with a '/'.",
    ],
    [
      'post',
      'GIT~1/hooks/x',
      {},
      "Your changes could not be committed, because Git refuses them: hasDotgit: contains '.git'",
    ],
    [
      'post',
      '.Git/hooks/x',
      {},
      "Your changes could not be committed, because the file name can contain only letters, digits, '_', '-', '@' and '.'. Separate directories with a '/'.",
    ],
  ] as const)('are refused with the reason: %s %s %j', async (verb, path, more, message) => {
    const { change, refs, head } = await make();
    await change(verb, path, more).expect(400, { message });
    expect(await refs.target('refs/heads/master')).toBe(head);
    expect(await refs.events()).toHaveLength(1);
  });

  it('create a file once for concurrent requests', async () => {
    const { change, refs } = await make();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => change('post', 'same', { content: String(index) })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
    expect(await refs.git('rev-list', '--count', 'master')).toBe('2');
    await refs.expectSound();
  });
});
