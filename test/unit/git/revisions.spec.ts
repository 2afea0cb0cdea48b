import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  isValidBranchName,
  isValidRefName,
  isWritableRefName,
  type Repository,
} from '../../../src/git/index.js';
import { descendantsOf, memoryOf } from '../../../src/git/process/process-memory.js';
import { withLessMemory } from './support/less-memory.js';
import { numbers, oddHistory, pickFrom } from './support/odd-history.js';
import { emptyLine, git, importStream, line, Workshop } from './support/workshop.js';

/** What stands before the suffixes of a revision of the odd history. */
const ODD_BASES = [
  ...['HEAD', '@', 'master', 'heads/master', 'refs/heads/master', 'v1', 'tags/v1', 'refs/tags/v1'],
  ...['both', 'heads/both', 'refs/heads/both', 'tags/both', 'topic/a', 'heads/topic/a', 'folder'],
];
const SUFFIXES = [
  '~',
  '^',
  '~0',
  '~1',
  '~2',
  '~7',
  '^0',
  '^1',
  '^2',
  '^3',
  '^4',
  '^{}',
  '^{commit}',
];

describe('resolveCommit', () => {
  let workshop: Workshop;
  let repository: Repository;
  let tip: string;
  let parent: string;
  const run = (...args: string[]) => git(args, { cwd: repository.path });

  beforeAll(async () => {
    workshop = await Workshop.open();
    repository = await workshop.repository(line(3));
    tip = await run('rev-parse', 'master');
    parent = await run('rev-parse', 'master~1');
    await run('tag', '-a', '-m', 'annotated', 'v1', parent);
    await run('tag', '-a', '-m', 'tag of a tag', 'v1-again', 'v1');
    await run('tag', 'tree-tag', 'master^{tree}');
  });

  afterAll(() => workshop.close());

  it('resolves branches, tags, ids and abbreviated ids', async () => {
    expect(await repository.resolveCommit('master')).toBe(tip);
    expect(await repository.resolveCommit('v1')).toBe(parent);
    expect(await repository.resolveCommit('v1-again')).toBe(parent);
    expect(await repository.resolveCommit(tip)).toBe(tip);
    expect(await repository.resolveCommit(tip.toUpperCase())).toBe(tip);
    expect(await repository.resolveCommit(tip.slice(0, 7))).toBe(tip);
    expect(await repository.resolveCommit(tip.slice(0, 6))).toBeNull();
  });

  it('prefers an id to a tag, a tag to a branch, and both to an abbreviated id', async () => {
    const first = await run('rev-parse', 'master~2');
    const short = tip.slice(0, 8);
    for (const name of [short, tip]) {
      await run('update-ref', `refs/heads/${name}`, parent);
      await run('update-ref', `refs/tags/${name}`, first);
    }
    expect(await repository.resolveCommit(tip)).toBe(tip);
    expect(await repository.resolveCommit(short)).toBe(first);
    expect(await repository.resolveCommit(`heads/${short}`)).toBe(parent);
    await run('update-ref', '-d', `refs/tags/${short}`);
    expect(await repository.resolveCommit(short)).toBe(parent);
    await run('update-ref', '-d', `refs/heads/${short}`);
    // A ref elsewhere must not stand in for the id.
    await run('update-ref', `refs/${short}`, parent);
    expect(await repository.resolveCommit(short)).not.toBe(parent);
    await run('update-ref', '-d', `refs/${short}`);
    expect(await repository.resolveCommit(short)).toBe(tip);
    for (const prefix of ['heads', 'tags']) await run('update-ref', '-d', `refs/${prefix}/${tip}`);
  });

  it('returns null for a tag of a tree, whatever else has its name', async () => {
    await run('branch', 'tree-tag', tip);
    for (const rev of ['tree-tag', 'tree-tag^{commit}', 'tree-tag^{}', 'tree-tag~0']) {
      expect(await repository.resolveCommit(rev)).toBeNull();
    }
    expect(await repository.resolveCommit('heads/tree-tag')).toBe(tip);
    await run('branch', '-D', 'tree-tag');
  });

  it('resolves HEAD and @ to the branch that the repository was opened with', async () => {
    await run('branch', 'trunk', parent);
    await run('branch', '@', 'master~2');
    const opened = (head?: string | null) => workshop.git.repository(repository.path, { head });
    for (const rev of ['HEAD', '@', 'HEAD~0', '@^0']) {
      expect(await opened().resolveCommit(rev)).toBe(tip);
      expect(await opened('trunk').resolveCommit(rev)).toBe(parent);
      expect(await opened('unborn').resolveCommit(rev)).toBeNull();
      expect(await opened(null).resolveCommit(rev)).toBeNull();
    }
    for (const branch of ['trunk', '@']) await run('branch', '-D', branch);
  });

  it('finds packed refs, and starts no process once warm', async () => {
    await run('pack-refs', '--all');
    expect(await repository.resolveCommit('v1')).toBe(parent);
    expect(await repository.resolveCommit('HEAD~1')).toBe(parent);
    const spawned = workshop.git.spawnCount;
    expect(await repository.resolveCommit('v1')).toBe(parent);
    expect(await repository.resolveCommit('master')).toBe(tip);
    expect(await repository.resolveCommit('HEAD~1')).toBe(parent);
    expect(await repository.resolveCommit('nothing')).toBeNull();
    expect(workshop.git.spawnCount).toBe(spawned);
  });

  it('follows parents like git', async () => {
    const odd = await workshop.emptyRepository();
    const inOdd = (args: string[], input: string | Buffer = '') =>
      git(args, { cwd: odd.path, input });
    await inOdd(['fast-import', '--quiet'], oddHistory(7, 60));
    await inOdd(['tag', '-a', '-m', 'One', 'v1', 'master~5']);
    await inOdd(['tag', 'both', 'master~3']);
    await inOdd(['tag', 'folder', 'master^{tree}']);
    await inOdd(['branch', 'both', 'master~8']);
    await inOdd(['branch', 'topic/a', 'v1~2']);
    const id = await inOdd(['rev-parse', 'master~4']);
    const random = numbers(7);
    const revisions = [...ODD_BASES, id, id.slice(0, 7), id.slice(0, 12)].flatMap((base) =>
      Array.from({ length: 40 }, (_, index) => {
        const suffixes = Array.from({ length: index % 5 }, () => pickFrom(SUFFIXES, random));
        return base + suffixes.join('');
      }),
    );
    const asked = revisions.map((revision) => `${revision}^{commit}\n`).join('');
    const answers = (await inOdd(['cat-file', '--batch-check'], asked)).split('\n');
    const expected = answers.map((answer) => /^([0-9a-f]{40}) commit/.exec(answer)?.[1] ?? null);
    const found = await Promise.all(revisions.map((revision) => odd.resolveCommit(revision)));
    expect(revisions.map((revision, index) => [revision, found[index]])).toEqual(
      revisions.map((revision, index) => [revision, expected[index]]),
    );
    expect(new Set(found).size).toBeGreaterThan(20);
  });

  it('follows at most 1,000 steps', async () => {
    const long = await workshop.repository(emptyLine(1_003));
    const ids = await git(['rev-list', 'master'], { cwd: long.path });
    const [last, beyond] = ids.split('\n').slice(1_000);
    expect(await long.resolveCommit('HEAD~1000')).toBe(last);
    expect(await long.resolveCommit('HEAD~500^~499')).toBe(last);
    expect(await long.resolveCommit(`${beyond}`)).toBe(beyond);
    for (const rev of ['HEAD~1001', 'HEAD~500^~500', `HEAD${'^'.repeat(1_001)}`]) {
      expect(await long.resolveCommit(rev)).toBeNull();
    }
    for (const rev of ['HEAD~999999999', 'HEAD^999999999', 'HEAD~99999999999999999999']) {
      expect(await long.resolveCommit(rev)).toBeNull();
    }
  });

  describe('with commits of 1 MB', () => {
    let large: Repository;
    let ids: string[];
    let atRest: number;

    beforeAll(async () => {
      const message = 'x'.repeat(1_000_000);
      const stream = importStream(Array.from({ length: 40 }, () => ({ message })));
      const { path } = await workshop.repository(stream);
      large = (await withLessMemory(workshop)).repository(path);
      ids = (await git(['rev-list', 'master'], { cwd: large.path })).split('\n');
      const tags = ids.map((id) => `tag on-${id}\nfrom ${id}\ntagger A <a> 1 +0000\ndata 0\n\n`);
      await git(['fast-import', '--quiet'], { cwd: large.path, input: tags.join('') });
      atRest = memory();
    });

    /** Of all git processes of this one, in MB. */
    const memory = (): number =>
      descendantsOf(process.pid).reduce((bytes, pid) => bytes + memoryOf(pid), 0) / 1e6;

    it.each<[string, (id: string, at: number) => string]>([
      ['hashes', (id) => id],
      ['abbreviated hashes', (id) => id.slice(0, 12)],
      ['annotated tags', (id) => `on-${id}`],
      ['a few steps', (id, at) => (at === 0 ? id : `${ids[at - 1]}~1`)],
    ])('takes no extra memory for %s', async (_, revisionOf) => {
      const found = await Promise.all(ids.map((id, at) => large.resolveCommit(revisionOf(id, at))));
      expect(found).toEqual(ids);
      expect(memory() - atRest).toBeLessThan(20);
    });

    it('releases the memory after steps', async () => {
      for (const id of ids.slice(0, 4)) {
        expect(await large.resolveCommit(`${id}~3`)).toBe(ids[ids.indexOf(id) + 3]);
      }
      expect(memory() - atRest).toBeLessThan(20);
    });

    it('returns null for steps over more than git may hold in memory', async () => {
      expect(await large.resolveCommit('HEAD~39')).toBeNull();
      expect(memory() - atRest).toBeLessThan(20);
    });
  });

  it('follows 100 tags of tags', async () => {
    const tags = Array.from({ length: 101 }, (_, count) => {
      const target = count === 0 ? tip : `:${String(count)}`;
      const mark = `mark :${String(count + 1)}\nfrom ${target}`;
      return `tag nested-${String(count + 1)}\n${mark}\ntagger A <a> 1 +0000\ndata 0\n\n`;
    });
    await git(['fast-import', '--quiet'], { cwd: repository.path, input: tags.join('') });
    expect(await repository.resolveCommit('nested-100')).toBe(tip);
    expect(await repository.resolveCommit('nested-101')).toBeNull();
  });

  it('returns null where a history is damaged', async () => {
    const damaged = await workshop.repository(line(4));
    const parentId = await git(['rev-parse', 'master~1'], { cwd: damaged.path });
    await rm(join(damaged.path, 'objects', parentId.slice(0, 2), parentId.slice(2)));
    for (const rev of ['HEAD~1', 'HEAD^', 'HEAD~2', parentId]) {
      expect(await damaged.resolveCommit(rev)).toBeNull();
    }
    expect(await damaged.resolveCommit('HEAD')).not.toBeNull();
  });

  it('accepts at most 4,096 characters', async () => {
    expect(await repository.resolveCommit(`master${'^0'.repeat(2_045)}`)).toBe(tip);
    expect(await repository.resolveCommit(`master${'^0'.repeat(2_046)}`)).toBeNull();
    for (const part of ['^', '~', '^{}', 'a/', '/', '.', '@', 'a', '^0', '~1^2', '{']) {
      expect(await repository.resolveCommit(part.repeat(2_000_000))).toBeNull();
      expect(await repository.resolveCommit(`master${part.repeat(2_000_000)}`)).toBeNull();
    }
  });

  const HOSTILE = [
    ...[
      'HEAD@{1}',
      '@{-1}',
      '@{upstream}',
      'master^{tree}',
      'master..v1',
      'master...v1',
      '^master',
    ],
    ...['master:', ':/Commit', 'master^{/Commit}', 'master^@', 'master^!', 'master^-', 'master^{'],
    ...['master^{commit', 'master^{}}', 'master~{}', 'master~-1', 'master~ 1', 'master~1a', '~1'],
    ...[
      '^',
      '^{commit}',
      'HEAD~1@{1}',
      'v1-0-gabcdef0',
      'head',
      'heads',
      'refs/heads',
      'refs/HEAD',
    ],
    ...['-x', '--output=/tmp/x', '--all', 'master\n', 'master\0', 'a b', '../HEAD', '..', '', '/'],
    ...['.', 'master.lock', '$(touch x)', '`id`', ';', '../../../config', 'config', 'packed-refs'],
    ...['\ud800', '0'.repeat(40), '%0a', 'master '],
  ];

  it.each(HOSTILE)('returns null for %j', async (rev) => {
    expect(await repository.resolveCommit(rev)).toBeNull();
  });

  it('never throws on arbitrary input, and runs nothing of it', async () => {
    const rev = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc.constantFrom(...HOSTILE, ...SUFFIXES, 'HEAD', 'refs/heads/'),
    );
    const commits = new Set([null, ...(await run('rev-list', 'master')).split('\n')]);
    await fc.assert(
      fc.asyncProperty(rev, rev, async (a, b) => {
        expect(commits).toContain(await repository.resolveCommit(`${a}${b}`));
      }),
      { numRuns: 300 },
    );
    await expect(access(join(repository.path, 'x'))).rejects.toThrow('ENOENT');
  });
});

describe('isValidRefName', () => {
  let workshop: Workshop;

  beforeAll(async () => {
    workshop = await Workshop.open();
  });

  afterAll(() => workshop.close());

  it('agrees with git', async () => {
    const part = fc.stringMatching(/^[a-z.@{}~^:?*[\\ \u0001\u007fäÿ/-]{0,6}(\.lock)?[a.@/]?$/);
    const extra = ['a', 'a.', '.a', '@', 'a..b', 'a@{', 'a.lock', 'a.lock/b', 'a//b', 'a/', '/a'];
    const names = [...extra, ...fc.sample(part, { numRuns: 200, seed: 1 })].map((n) => `refs/${n}`);
    const script = 'while IFS= read -r n; do git check-ref-format "$n" && echo 1 || echo 0; done';
    const alias = await git(['-c', `alias.each=!${script}`, 'each'], {
      cwd: workshop.folder,
      input: `${names.join('\n')}\n`,
    });
    const verdicts = alias.split('\n').map((verdict) => verdict === '1');
    expect(names.map((name) => [name, isValidRefName(name)])).toEqual(
      names.map((name, index) => [name, verdicts[index]]),
    );
  });
});

describe('names of refs', () => {
  it.each(['b/', 'b', '/', '.', '..', '@', '.lock/', '日'])(
    'are refused when they are megabytes of %j',
    (part) => {
      const name = part.repeat(2_000_000);
      expect(isWritableRefName(`refs/heads/${name}x`)).toBe(false);
      expect(isValidRefName(`refs/heads/${name}x`)).toBe(false);
      expect(isValidBranchName(`${name}x`)).toBe(false);
    },
  );

  it('are written up to 1,000 bytes, with up to 240 in each part', () => {
    const longest = `refs/heads/${'b/'.repeat(494)}b`;
    expect(isWritableRefName(longest)).toBe(true);
    expect(isWritableRefName(`${longest}bb`)).toBe(false);
    expect(isWritableRefName(`refs/tags/${'é'.repeat(120)}/a`)).toBe(true);
    expect(isWritableRefName(`refs/tags/${'é'.repeat(120)}a/a`)).toBe(false);
  });
});
