import { apiCommits, create } from '../../support/api-commits.js';
import { type Person, unique } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { memberOf } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

const ZERO = '0'.repeat(40);
const DATE = /^\d{4}-\d\d-\d\dT[\d:]{8}\.000\+00:00$/;

interface Made {
  id: string;
  author_name: string;
  author_email: string;
}

describe('commits made through the API', () => {
  let trellis: Trellis;
  let owner: Person;
  let pushed: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, owner);
  });
  afterAll(() => pushed.remove());

  async function make() {
    const made = await pushed.make();
    return { ...made, ...apiCommits(trellis, made.project, owner) };
  }

  async function makeEmpty() {
    const project = await trellis.factories.project(owner);
    return { project, ...apiCommits(trellis, project, owner) };
  }

  it('are refused without a credential, a project, the right, or parameters', async () => {
    const { project, url, commit, refs, head } = await make();
    await trellis.anonymous.post(url).expect(401);
    const stranger = await trellis.factories.user();
    await commit([create('a')], {}, stranger).expect(404, { message: '404 Project Not Found' });
    const reporter = await memberOf(trellis, project, 20);
    await commit([create('a')], {}, reporter).expect(403, { message: '403 Forbidden' });
    const developer = await memberOf(trellis, project, 30);
    await commit([create('a')], {}, developer).expect(400, {
      message: 'You are not allowed to push into this branch',
    });
    await trellis.as(owner).post(url).expect(400, {
      error: 'branch_name is missing, commit_message is missing, actions is missing',
    });
    await commit([]).expect(400, { error: 'actions is missing' });
    await commit('x' as unknown as object[]).expect(400, { error: 'actions is invalid' });
    await commit([{ file_path: 'a', content: 'b' }]).expect(400, {
      error: 'actions[0][action] is missing',
    });
    await commit([{ ...create('a'), encoding: 'hex' }]).expect(400, {
      error: 'actions[0][encoding] does not have a valid value',
    });
    await trellis
      .as(owner)
      .post(`/projects/${String(project.id)}/archive`)
      .expect(200);
    await commit([create('a')]).expect(403, { message: '403 Forbidden' });
    expect(await refs.target('refs/heads/master')).toBe(head);
  });

  it('update, create, move and delete files in one step', async () => {
    const { work, refs, commit, head, project } = await make();
    await work.commit('Tool', 'tool');
    await work.git('update-index', '--chmod=+x', 'tool');
    await work.git('commit', '--quiet', '--message', 'Executable');
    await work.git('reset', '--quiet', '--hard');
    await work.push('HEAD:refs/heads/master');
    const parent = await work.git('rev-parse', 'HEAD');
    expect(parent).not.toBe(head);
    const answer = await commit([
      { action: 'update', file_path: 'tool', content: 'echo new\n' },
      { action: 'move', file_path: 'docs/deep/file.md', previous_path: 'file.txt' },
      { action: 'create', file_path: '/docs/ünicode name.txt', content: 'Grüße\n' },
      { action: 'create', file_path: 'bytes.bin', content: 'AP8Q\n/w==', encoding: 'base64' },
      { action: 'create', file_path: 'empty', content: '' },
      { action: 'create', file_path: 'gone/soon', content: 'x' },
      { action: 'delete', file_path: 'gone/soon' },
      { action: 'move', file_path: 'bin/tool', previous_path: 'tool' },
    ]).expect(200);
    const made = answer.body as Made;
    const { user } = owner;
    expect(answer.body).toEqual({
      id: made.id,
      short_id: made.id.slice(0, 8),
      title: 'Work',
      message: 'Work',
      author_name: user.name,
      author_email: user.email,
      committer_name: user.name,
      committer_email: user.email,
      created_at: expect.stringMatching(DATE) as string,
      committed_date: expect.stringMatching(DATE) as string,
      authored_date: expect.stringMatching(DATE) as string,
      parent_ids: [parent],
      stats: { additions: 2, deletions: 1, total: 3 },
      status: null,
    });
    expect(await refs.target('refs/heads/master')).toBe(made.id);
    expect(
      await refs.git(
        '-c',
        'core.quotePath=false',
        'ls-tree',
        '-r',
        '--format=%(objectmode) %(path)',
        made.id,
      ),
    ).toBe(
      [
        '100755 bin/tool',
        '100644 bytes.bin',
        '100644 docs/deep/file.md',
        '100644 docs/ünicode name.txt',
        '100644 empty',
      ].join('\n'),
    );
    expect(await refs.git('show', `${made.id}:bin/tool`)).toBe('echo new');
    expect(await refs.git('show', `${made.id}:docs/ünicode name.txt`)).toBe('Grüße');
    expect(await refs.git('rev-parse', `${made.id}:docs/deep/file.md`)).toBe(
      await refs.git('rev-parse', `${parent}:file.txt`),
    );
    expect(await refs.git('cat-file', '-s', `${made.id}:bytes.bin`)).toBe('4');
    expect(await refs.lastEvent()).toEqual({
      action: 'pushed to',
      ref: 'refs/heads/master',
      before: parent,
      after: made.id,
      author: user.id,
    });
    expect(
      await trellis.rows(
        `SELECT 1 FROM outbox WHERE name = 'tidy-repository' AND (payload->>'projectId')::int = $1`,
        [project.id],
      ),
    ).toHaveLength(1);
    await refs.expectSound();
    await work.git('pull', '--quiet', work.remote, 'master');
  });

  it('are the first of an empty repository, and set its default branch', async () => {
    const { project, commit, refs } = await makeEmpty();
    await commit([{ action: 'update', file_path: 'a', content: 'x' }]).expect(400, {
      message: 'No files to update.',
    });
    const answer = await commit([create('README.md')], { branch_name: 'trunk' }).expect(200);
    const { id } = answer.body as Made;
    expect(answer.body).toMatchObject({ parent_ids: [], stats: { additions: 1, deletions: 0 } });
    const after = await trellis.as(owner).get(`/projects/${String(project.id)}`);
    expect(after.body).toMatchObject({ default_branch: 'trunk' });
    expect(await refs.git('symbolic-ref', 'HEAD')).toBe('refs/heads/trunk');
    expect(
      await trellis.rows(
        'SELECT name, developers_can_push AS push FROM protected_branches WHERE project_id = $1',
        [project.id],
      ),
    ).toEqual([{ name: 'trunk', push: false }]);
    expect(await refs.events()).toEqual([
      {
        action: 'pushed new',
        ref: 'refs/heads/trunk',
        before: ZERO,
        after: id,
        author: owner.user.id,
      },
    ]);
    await refs.expectSound();
  });

  it('require a master in an empty repository whose default branch will be fully protected', async () => {
    const { project, commit, refs } = await makeEmpty();
    const developer = await memberOf(trellis, project, 30);
    await commit([create('a')], {}, developer).expect(400, {
      message: 'You are not allowed to push into this branch',
    });
    expect(await refs.all()).toEqual([]);
  });

  it('return an error for an unknown branch', async () => {
    const { project, commit, refs } = await make();
    const developer = await memberOf(trellis, project, 30);
    const before = await refs.all();
    const names = ['mastre', 'topic/new', 'master/a', 'a..b', '-x', 'HEAD', '../../x', 'a b', ''];
    for (const branch_name of [...names, 'x'.repeat(4000)]) {
      for (const caller of [owner, developer]) {
        await commit([create('a')], { branch_name }, caller).expect(400, {
          message: 'You can only create or edit files when you are on a branch',
        });
      }
    }
    expect(await refs.all()).toEqual(before);
    await refs.expectSound();
  });

  it('have the given author, and the caller as committer', async () => {
    const { commit, refs } = await make();
    const { user } = owner;
    const authorOf = async (given: object) => {
      const answer = await commit([create(`f-${unique()}`)], given).expect(200);
      return refs.git('show', '-s', '--format=%an|%ae|%cn|%ce', (answer.body as Made).id);
    };
    const caller = `${user.name}|${user.email}`;
    expect(await authorOf({ author_name: 'Ada', author_email: 'ada@example.com' })).toBe(
      `Ada|ada@example.com|${caller}`,
    );
    expect(await authorOf({ author_name: 'Only Name' })).toBe(`Only Name|${user.email}|${caller}`);
    expect(await authorOf({ author_email: 'only@example.com' })).toBe(
      `${user.name}|only@example.com|${caller}`,
    );
    expect(await authorOf({ author_name: ' <>\n', author_email: '' })).toBe(`${caller}|${caller}`);
    expect(
      await authorOf({ author_name: 'A\nauthor B <c> 1 +0000', author_email: 'a>b\nc@d' }),
    ).toBe(`Aauthor B c 1 +0000|abc@d|${caller}`);
    await commit([create('z')], { author_name: 'x'.repeat(256) }).expect(400);
    await refs.expectSound();
  });

  it('accept form fields as well', async () => {
    const { url, refs } = await make();
    await trellis
      .as(owner)
      .call('post', url)
      .type('form')
      .send(
        'branch_name=master&commit_message=By+form&actions[][action]=create&actions[][file_path]=f.txt&actions[][content]=1',
      )
      .expect(200);
    expect(await refs.git('show', 'master:f.txt')).toBe('1');
  });

  it('are created even without changes', async () => {
    const { commit, refs, head } = await make();
    const same = `${await refs.git('show', 'master:file.txt')}\n`;
    const answer = await commit([
      { action: 'update', file_path: 'file.txt', content: same },
    ]).expect(200);
    expect(answer.body).toMatchObject({
      parent_ids: [head],
      stats: { additions: 0, deletions: 0, total: 0 },
    });
    expect(await refs.git('rev-parse', 'master^{tree}')).toBe(
      await refs.git('rev-parse', `${head}^{tree}`),
    );
  });

  it('keep names that are not UTF-8, links and submodules', async () => {
    const { work, commit, refs, head } = await make();
    await work.git('update-index', '--add', '--cacheinfo', `160000,${head},module`);
    const link = await work.git('rev-parse', 'HEAD:file.txt');
    await work.git('update-index', '--add', '--cacheinfo', `120000,${link},link`);
    await work.git('commit', '--quiet', '--message', 'Odd ones');
    const tree = await work.git('write-tree');
    expect((await work.push('HEAD:refs/heads/master')).code).toBe(0);
    await commit([create('zzz')]).expect(200);
    const listed = await refs.git('ls-tree', 'master');
    for (const line of (await work.git('ls-tree', tree)).split('\n'))
      expect(listed).toContain(line);
    await commit([{ action: 'update', file_path: 'link', content: 'file.txt' }]).expect(200);
    expect(await refs.git('ls-tree', 'master', 'link')).toMatch(/^120000 blob/);
    await refs.expectSound();
  });
});
