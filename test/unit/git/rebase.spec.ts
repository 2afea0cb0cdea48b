import type { Repository, Signature } from '../../../src/git/index.js';
import { wideHistory } from '../../support/wide-history.js';
import { git, importStream, tryGit, Workshop } from './support/workshop.js';

const COMMITTER: Signature = {
  name: 'Rob',
  email: 'rob@example.com',
  date: new Date('2026-01-02T03:04:05Z'),
  timezone: '+0000',
};

const CLIENT = {
  GIT_COMMITTER_NAME: COMMITTER.name,
  GIT_COMMITTER_EMAIL: COMMITTER.email,
  GIT_COMMITTER_DATE: '2026-01-02T03:04:05+0000',
};

describe('rebased commits', () => {
  let workshop: Workshop;
  const { signal } = new AbortController();

  beforeAll(async () => {
    workshop = await Workshop.open();
  });
  afterAll(() => workshop.close());

  const oidOf = (repository: Repository, rev: string) =>
    git(['rev-parse', rev], { cwd: repository.path });

  const rebase = async (repository: Repository, onto: string, head: string) =>
    repository.rebase({
      onto: await oidOf(repository, onto),
      head: await oidOf(repository, head),
      committer: COMMITTER,
      signal,
    });

  /** The head that `git rebase` leaves in a working copy; null where it stops at a conflict. */
  const rebasedByGit = async (cwd: string, onto: string, head: string) => {
    await git(['checkout', '-q', '-f', '--detach', head], { cwd });
    const { code } = await tryGit(['rebase', '-q', onto], { cwd, environment: CLIENT });
    if (code === 0) return git(['rev-parse', 'HEAD'], { cwd });
    await git(['rebase', '--abort'], { cwd });
    return null;
  };

  const log = (repository: Repository, range: string, format: string) =>
    git(['log', `--format=${format}`, range], { cwd: repository.path });

  /** Trees, people, dates and subjects of commits. git cleans up blank lines of messages, which are kept here. */
  const commitsOf = (cwd: string, range: string) =>
    git(['log', '--format=%T|%an|%ae|%ad|%cn|%ce|%cd|%f', range], { cwd });

  it('are those of git rebase among the branches of generated histories', async () => {
    const outcomes: boolean[] = [];
    for (const seed of [3, 11]) {
      const repository = await workshop.emptyRepository();
      const cwd = repository.path;
      await git(['fast-import', '--quiet', '--force'], { cwd, input: wideHistory(seed, 30) });
      const copy = await workshop.clone(cwd, '-c', 'core.symlinks=false');
      const list = await git(['for-each-ref', '--format=%(objectname)', 'refs/heads'], { cwd });
      const tips = list.split('\n');
      for (const [index, onto] of tips.entries()) {
        for (const head of tips.slice(index + 1)) {
          const before = await git(['count-objects', '-v'], { cwd });
          const rebased = await repository.rebase({ onto, head, committer: COMMITTER, signal });
          expect(await git(['count-objects', '-v'], { cwd })).toBe(before);
          const expected = await rebasedByGit(copy, onto, head);
          const isPossible = typeof rebased !== 'string';
          expect([onto, head, isPossible]).toEqual([onto, head, expected !== null]);
          outcomes.push(isPossible);
          if (!isPossible) continue;
          await repository.store(rebased.objects);
          const made = await commitsOf(cwd, `${onto}..${rebased.head}`);
          expect([onto, head, made]).toEqual([
            onto,
            head,
            await commitsOf(copy, `${onto}..${String(expected)}`),
          ]);
        }
      }
      await git(['fsck', '--strict', '--no-dangling'], { cwd });
    }
    expect(new Set(outcomes)).toEqual(new Set([true, false]));
  });

  it('keep author, dates and messages, and leave out merges and what the other side has', async () => {
    const repository = await workshop.repository(
      importStream([
        { files: { a: '1\n' } },
        { branch: 'topic', parents: [1], files: { b: '1\n' } },
        { branch: 'side', parents: [1], files: { c: '1\n' } },
        { branch: 'topic', parents: [2, 3], files: { c: '1\n' } },
        { branch: 'topic', parents: [4], files: { d: '1\n' } },
        // The same change as on the side branch.
        { branch: 'master', parents: [1], files: { c: '1\n' } },
        { branch: 'master', parents: [6], files: { e: '1\n' } },
      ]),
    );
    const rebased = await rebase(repository, 'master', 'topic');
    if (typeof rebased === 'string') throw new Error(rebased);
    await repository.store(rebased.objects);
    const range = `master..${rebased.head}`;
    const kept = '%an %ae %ad %B';
    const former = await log(repository, 'topic^1^1..topic', kept);
    expect(await log(repository, range, '%cn %ce %cd')).toBe(
      Array(2).fill('Rob rob@example.com Fri Jan 2 03:04:05 2026 +0000').join('\n'),
    );
    expect(await log(repository, range, '%P')).not.toContain(' ');
    expect((await log(repository, range, kept)).split('\n')[0]).toBe(former.split('\n')[0]);
    const files = ['ls-tree', '--name-only', rebased.head];
    expect(await git(files, { cwd: repository.path })).toBe('a\nb\nc\nd\ne');
  });

  it('convert a message in another encoding, as git rebase does', async () => {
    const repository = await workshop.repository(
      importStream([
        { files: { a: '1\n' } },
        { branch: 'topic', parents: [1], files: { b: '2\n' } },
        { branch: 'master', parents: [1], files: { c: '3\n' } },
      ]),
    );
    const cwd = repository.path;
    const [tree, parent] = [await oidOf(repository, 'topic:'), await oidOf(repository, 'topic^')];
    const text = (parts: (string | Buffer)[]) =>
      Buffer.concat(parts.map((part) => Buffer.from(part)));
    const person = text(['J', Buffer.from([0xf6]), 'rg <j@example.com> 1700000000 +0100']);
    const root = text([
      `tree ${tree}\nparent ${parent}\nauthor `,
      person,
      '\ncommitter ',
      person,
      '\n',
    ]);
    const content = text([root, 'encoding ISO-8859-1\n\nGr', Buffer.from([0xfc]), 'n\n']);
    const odd = await git(['hash-object', '-t', 'commit', '-w', '--stdin'], {
      cwd,
      input: content,
    });
    await git(['update-ref', 'refs/heads/odd', odd], { cwd });
    const rebased = await rebase(repository, 'master', 'odd');
    if (typeof rebased === 'string') throw new Error(rebased);
    await repository.store(rebased.objects);
    const raw = await git(['cat-file', 'commit', rebased.head], { cwd });
    expect(raw).toContain('\nauthor Jörg <j@example.com> 1700000000 +0100\n');
    expect(raw).not.toContain('encoding');
    expect(raw.endsWith('\n\nGrün')).toBe(true);
  });

  it('are none for a conflict, nor for more than 1,000 commits', async () => {
    const conflicting = await workshop.repository(
      importStream([
        { files: { a: '1\n' } },
        { branch: 'topic', parents: [1], files: { a: '2\n' } },
        { branch: 'master', parents: [1], files: { a: '3\n' } },
      ]),
    );
    expect(await rebase(conflicting, 'master', 'topic')).toBe('conflict');
    const steps = Array.from({ length: 1_001 }, (_, index) => ({
      branch: 'topic',
      parents: [index === 0 ? 1 : index + 1],
      files: { b: String(index) },
    }));
    const long = await workshop.repository(
      importStream([{ files: { a: '1\n' } }, ...steps, { parents: [1], files: { c: '1\n' } }]),
    );
    expect(await rebase(long, 'master', 'topic')).toBe('too-many-commits');
    const based = await rebase(long, 'master^', 'topic');
    expect(based).toMatchObject({ head: await oidOf(long, 'topic'), objects: { size: 0 } });
  });

  it('end with the signal', async () => {
    const repository = await workshop.repository(
      importStream([
        { files: { a: '1\n' } },
        { branch: 'topic', parents: [1], files: { b: '2\n' } },
        { branch: 'master', parents: [1], files: { c: '3\n' } },
      ]),
    );
    const [onto, head] = [await oidOf(repository, 'master'), await oidOf(repository, 'topic')];
    const aborted = AbortSignal.abort(new Error('over'));
    const work = repository.rebase({ onto, head, committer: COMMITTER, signal: aborted });
    await expect(work).rejects.toThrow('over');
  });
});
