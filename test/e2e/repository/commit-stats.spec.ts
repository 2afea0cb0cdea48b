import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { apiCommits } from '../../support/api-commits.js';
import type { Person } from '../../support/factories.js';
import { type PushedProject, PushedProjects } from '../../support/pushed-projects.js';
import { Trellis } from '../../support/trellis.js';

const LINES = Array.from({ length: 60 }, (_, index) => `line ${String(index)}\n`).join('');
const MORE = `${LINES}one\ntwo\nthree\n`;

interface CommitBody {
  id: string;
  stats: { additions: number; deletions: number; total: number };
}

describe('stats of a commit', () => {
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
    await mkdir(path.join(made.work.folder, 'old/deep'), { recursive: true });
    for (const name of ['old/a.txt', 'old/deep/b.txt', 'c.txt']) {
      await writeFile(path.join(made.work.folder, name), name + LINES);
    }
    await made.work.commit('Before');
    await made.work.push('HEAD:refs/heads/master');
    return made;
  }

  /** Expects the numbers, and that the commit's own difference has as many lines. */
  async function expectStats(
    { project }: PushedProject,
    sha: string,
    additions: number,
    deletions: number,
  ): Promise<void> {
    const base = `/projects/${String(project.id)}/repository/commits/${sha}`;
    const { stats } = (await trellis.as(owner).get(base).expect(200)).body as CommitBody;
    expect(stats).toEqual({ additions, deletions, total: additions + deletions });
    const { body } = await trellis.as(owner).get(`${base}/diff`).expect(200);
    const lines = (body as { diff: string }[]).flatMap(({ diff }) => diff.split('\n').slice(2));
    const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
    expect([count('+'), count('-')]).toEqual([additions, deletions]);
  }

  it('counts only the lines that differ in a renamed file', async () => {
    const made = await make();
    const { work } = made;
    await work.git('mv', 'c.txt', 'd.txt');
    await writeFile(path.join(work.folder, 'd.txt'), `c.txt${MORE}`);
    const head = await work.commit('Rename', 'file.txt');
    await work.push('HEAD:refs/heads/master');
    await expectStats(made, head, 3 + 1, 1);
  });

  it('counts nothing for a moved folder', async () => {
    const made = await make();
    const { work } = made;
    await work.git('mv', 'old', 'new');
    await work.git('commit', '--quiet', '--message', 'Move');
    await work.push('HEAD:refs/heads/master');
    await expectStats(made, await work.git('rev-parse', 'HEAD'), 0, 0);
  });

  it('counts only the lines that differ in a file that a merge renames', async () => {
    const made = await make();
    const { work } = made;
    await work.git('checkout', '--quiet', '-b', 'topic');
    await work.git('mv', 'c.txt', 'd.txt');
    await work.git('commit', '--quiet', '--message', 'Rename');
    await work.git('checkout', '--quiet', 'master');
    await work.commit('Meanwhile');
    await work.git('merge', '--quiet', '--no-ff', '--no-commit', 'topic');
    await writeFile(path.join(work.folder, 'd.txt'), `c.txt${MORE}`);
    await work.git('commit', '--quiet', '--all', '--message', 'Merge');
    await work.push('HEAD:refs/heads/master');
    await expectStats(made, await work.git('rev-parse', 'HEAD'), 3, 0);
  });

  it('counts only the lines that differ in a file of a move action', async () => {
    const made = await make();
    const { commit } = apiCommits(trellis, made.project, owner);
    const kept = await commit([
      { action: 'move', previous_path: 'c.txt', file_path: 'docs/c.txt' },
    ]).expect(200);
    expect((kept.body as CommitBody).stats).toEqual({ additions: 0, deletions: 0, total: 0 });
    const changed = await commit([
      {
        action: 'move',
        previous_path: 'docs/c.txt',
        file_path: 'docs/d.txt',
        content: `c.txt${MORE}`,
      },
    ]).expect(200);
    const { id, stats } = changed.body as CommitBody;
    expect(stats).toEqual({ additions: 3, deletions: 0, total: 3 });
    await expectStats(made, id, 3, 0);
  });
});
