import type { Person } from '../../support/factories.js';
import { PushedProjects } from '../../support/pushed-projects.js';
import { memberOf, PushedRefs } from '../../support/pushed-refs.js';
import { Trellis } from '../../support/trellis.js';

const SORRY = /^Sorry, we cannot cherry-pick this commit automatically\./;

describe('cherry-picking', () => {
  let trellis: Trellis;
  let owner: Person;
  let pushed: PushedProjects;

  beforeAll(async () => {
    trellis = await Trellis.shared();
    owner = await trellis.factories.user({ projectsLimit: 1000 });
    pushed = new PushedProjects(trellis, owner);
  });
  afterAll(() => pushed.remove());

  /** `master` has one commit more than `stable`, which has `topic`'s history too. */
  async function make() {
    const made = await pushed.make();
    const { work, project } = made;
    const url = `/projects/${String(project.id)}/repository/commits`;
    await work.push('HEAD:refs/heads/stable');
    const pick = (sha: string, branch = 'stable', person = owner) =>
      trellis.as(person).post(`${url}/${encodeURIComponent(sha)}/cherry_pick`, { branch });
    return { ...made, url, pick, refs: new PushedRefs(trellis, project) };
  }

  it('is refused without a credential, a project, the right, or a commit', async () => {
    const { project, url, pick, refs, head } = await make();
    await trellis.anonymous.post(`${url}/master/cherry_pick`, { branch: 'stable' }).expect(401);
    const stranger = await trellis.factories.user();
    await pick('master', 'stable', stranger).expect(404, { message: '404 Project Not Found' });
    const reporter = await memberOf(trellis, project, 20);
    await pick('master', 'stable', reporter).expect(403, { message: '403 Forbidden' });
    const developer = await memberOf(trellis, project, 30);
    await pick('master', 'master', developer).expect(400, {
      message: 'You are not allowed to push into this branch',
    });
    await trellis
      .as(owner)
      .post(`${url}/master/cherry_pick`)
      .expect(400, { error: 'branch is missing' });
    for (const sha of ['nowhere', 'f'.repeat(40), '--abort', 'HEAD~1', '../x']) {
      await pick(sha).expect(404, { message: '404 Commit Not Found' });
    }
    for (const branch of ['nowhere', '-x', '../x', head]) {
      await pick('master', branch).expect(404, { message: '404 Branch Not Found' });
    }
    await trellis
      .as(owner)
      .post(`/projects/${String(project.id)}/archive`)
      .expect(200);
    await pick('master').expect(403);
    expect(await refs.target('refs/heads/stable')).toBe(head);
  });

  it('applies the change, with its author and message, by a new committer', async () => {
    const { project, work, pick, refs, head } = await make();
    await work.git('mv', 'file.txt', 'renamed.txt');
    await work.git('commit', '--quiet', '--message', 'Rename');
    await work.commit('Further down', 'other.txt');
    await work.git(
      'commit',
      '--quiet',
      '--amend',
      '--author',
      'Ada Lovelace <ada@example.org>',
      '--date',
      '2020-02-03T04:05:06+0200',
      '--message',
      'Add other\n\nWith reasons',
    );
    const source = await work.git('rev-parse', 'HEAD');
    await work.push('HEAD:refs/heads/master');
    const developer = await memberOf(trellis, project, 30);
    const answer = await pick('master', 'stable', developer).expect(200);
    const made = answer.body as { id: string };
    expect(made.id).not.toBe(source);
    expect(answer.body).toMatchObject({
      parent_ids: [head],
      title: 'Add other',
      message: 'Add other\n\nWith reasons\n',
      author_name: 'Ada Lovelace',
      author_email: 'ada@example.org',
      authored_date: '2020-02-03T04:05:06.000+02:00',
      committer_name: developer.user.name,
      committer_email: developer.user.email,
      stats: { additions: 1, deletions: 0, total: 1 },
      status: null,
    });
    expect(await refs.target('refs/heads/stable')).toBe(made.id);
    expect(await refs.git('ls-tree', '--name-only', 'stable')).toBe('file.txt\nother.txt');
    expect(await refs.lastEvent()).toMatchObject({
      action: 'pushed to',
      ref: 'refs/heads/stable',
      before: head,
      after: made.id,
      author: developer.user.id,
    });
    await refs.expectSound();
  });

  it('finds renamed files, like git', async () => {
    const { work, pick, refs } = await make();
    const lines = Array.from({ length: 30 }, (_, index) => `line ${String(index)}`).join('\n');
    await work.git('checkout', '--quiet', '-b', 'renaming');
    await writeAndCommit(work, 'file.txt', `${lines}\n`);
    await work.push('HEAD:refs/heads/master', '+HEAD:refs/heads/stable');
    await work.git('mv', 'file.txt', 'moved.txt');
    await work.git('commit', '--quiet', '--message', 'Move');
    await writeAndCommit(work, 'moved.txt', `${lines}\nlast\n`);
    await work.push('HEAD:refs/heads/master');
    await pick('master').expect(200);
    expect(await refs.git('show', 'stable:file.txt')).toContain('last');
    await work.git('checkout', '--quiet', 'HEAD~2');
    await work.git('cherry-pick', 'renaming');
    expect(await refs.git('rev-parse', 'stable^{tree}')).toBe(
      await work.git('rev-parse', 'HEAD^{tree}'),
    );
    await refs.expectSound();
  });

  async function writeAndCommit(
    work: { folder: string; git: (...args: string[]) => Promise<string> },
    file: string,
    text: string,
  ) {
    const { writeFile } = await import('node:fs/promises');
    await writeFile(`${work.folder}/${file}`, text);
    await work.git('add', '--all');
    await work.git('commit', '--quiet', '--message', `Write ${file}`);
  }

  it('is refused for conflicts and empty results', async () => {
    const { work, pick, refs, head } = await make();
    await work.commit('On master');
    await work.push('HEAD:refs/heads/master');
    await pick('master').expect(200);
    const stable = await refs.target('refs/heads/stable');
    const again = await pick('master').expect(400);
    expect((again.body as { message: string }).message).toMatch(SORRY);
    await work.git('checkout', '--quiet', head);
    await work.commit('Against it');
    await work.push('HEAD:refs/heads/against');
    const against = await pick('against').expect(400);
    expect((against.body as { message: string }).message).toMatch(SORRY);
    expect(await refs.target('refs/heads/stable')).toBe(stable);
    await refs.expectSound();
  });

  it('compares merges with their first parent, and root commits with the empty tree', async () => {
    const { work, pick, refs } = await make();
    await work.git('checkout', '--quiet', '-b', 'side');
    await work.commit('Side', 'side.txt');
    await work.git('checkout', '--quiet', '--orphan', 'root');
    await work.git('rm', '-rfq', '.');
    await work.commit('Root', 'root.txt');
    await work.git('checkout', '--quiet', '-b', 'main', 'side~1');
    await work.commit('Main', 'main.txt');
    await work.git('merge', '--quiet', '--no-ff', '--message', 'Merge', 'side');
    await work.push('main:refs/heads/master', 'root');
    await pick('master').expect(200);
    expect(await refs.git('ls-tree', '--name-only', 'stable')).toBe('file.txt\nside.txt');
    await pick('root').expect(200);
    expect(await refs.git('ls-tree', '--name-only', 'stable')).toBe('file.txt\nroot.txt\nside.txt');
    await refs.expectSound();
  });

  it('applies each of many concurrent picks to the latest head', async () => {
    const { work, pick, refs, head } = await make();
    const sources: string[] = [];
    for (let index = 0; index < 6; index += 1) {
      sources.push(await work.commit(`Change ${String(index)}`, `${String(index)}.txt`));
    }
    await work.push('HEAD:refs/heads/master');
    const answers = await Promise.all(sources.map((sha) => pick(sha)));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(await refs.git('rev-list', '--count', `${head}..stable`)).toBe('6');
    expect(await refs.git('rev-parse', 'stable^{tree}')).toBe(
      await refs.git('rev-parse', 'master^{tree}'),
    );
    await refs.expectSound();
  });
});
