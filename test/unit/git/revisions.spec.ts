import { access } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { isValidRefName, type Repository } from '../../../src/git/index.js';
import { git, line, Workshop } from './support/workshop.js';

describe('naming a commit', () => {
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

  it('takes branches, tags, whole and abbreviated ids', async () => {
    expect(await repository.resolveCommit('master')).toBe(tip);
    expect(await repository.resolveCommit('v1')).toBe(parent);
    expect(await repository.resolveCommit('v1-again')).toBe(parent);
    expect(await repository.resolveCommit(tip)).toBe(tip);
    expect(await repository.resolveCommit(tip.toUpperCase())).toBe(tip);
    expect(await repository.resolveCommit(tip.slice(0, 8))).toBe(tip);
    expect(await repository.resolveCommit(tip.slice(0, 3))).toBeNull();
    expect(await repository.resolveCommit('tree-tag')).toBeNull();
  });

  it('prefers a branch to a tag, and both to an abbreviated id', async () => {
    const short = tip.slice(0, 6);
    await run('branch', short, parent);
    await run('tag', short, 'master~2');
    expect(await repository.resolveCommit(short)).toBe(parent);
    await run('branch', '-D', short);
    expect(await repository.resolveCommit(short)).toBe(await run('rev-parse', 'master~2'));
    await run('update-ref', '-d', `refs/tags/${short}`);
    // A ref elsewhere must not stand in for the id.
    await run('update-ref', `refs/${short}`, parent);
    expect(await repository.resolveCommit(short)).not.toBe(parent);
    await run('update-ref', '-d', `refs/${short}`);
    expect(await repository.resolveCommit(short)).toBe(tip);
  });

  it('finds packed refs, and spawns nothing when warm', async () => {
    await run('pack-refs', '--all');
    expect(await repository.resolveCommit('v1')).toBe(parent);
    const spawned = workshop.git.spawnCount;
    expect(await repository.resolveCommit('v1')).toBe(parent);
    expect(await repository.resolveCommit('master')).toBe(tip);
    expect(await repository.resolveCommit('nothing')).toBeNull();
    expect(workshop.git.spawnCount).toBe(spawned);
  });

  const HOSTILE = [
    ...['HEAD', 'HEAD@{1}', 'HEAD~1', '@', 'master^', 'master^{tree}', 'master..v1', 'master:'],
    ...[
      ':/Commit',
      '-x',
      '--output=/tmp/x',
      '--all',
      'master\n',
      'master\0',
      'a b',
      '../HEAD',
      '..',
    ],
    ...[
      'refs/heads/master',
      'heads/master',
      '',
      '/',
      '.',
      'master.lock',
      '$(touch x)',
      '`id`',
      ';',
    ],
    ...['../../../config', 'config', 'packed-refs', '\ud800', '0'.repeat(40), '%0a', 'master '],
  ];

  it.each(HOSTILE)('%j is nobody', async (rev) => {
    expect(await repository.resolveCommit(rev)).toBeNull();
  });

  it('never fails, whatever it is given, and nothing happens', async () => {
    const rev = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom(...HOSTILE));
    await fc.assert(
      fc.asyncProperty(rev, rev, async (a, b) => {
        const name = `${a}${b}`;
        const found = await repository.resolveCommit(name);
        expect(found === null || found === tip || found === parent).toBe(true);
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
    const names = [...extra, ...fc.sample(part, { numRuns: 400, seed: 1 })].map((n) => `refs/${n}`);
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
