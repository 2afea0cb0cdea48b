import { randomBytes } from 'node:crypto';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../../../src/git/index.js';
import { leadingCommits } from '../../../src/git/history/quarantine.js';
import { EventLoopWaits } from './support/event-loop-waits.js';
import { git, line, Workshop } from './support/workshop.js';

describe('the commits at the head of a pushed pack', () => {
  let workshop: Workshop;
  let repository: Repository;

  beforeAll(async () => {
    workshop = await Workshop.open();
    repository = await workshop.repository(line(30));
  });
  afterAll(() => workshop.close());

  const inRepository = (...args: string[]): Promise<string> => git(args, { cwd: repository.path });

  /** Packs some revisions into a folder of their own, as git does for a push, but without deltas. */
  async function packed(name: string, ...revisions: string[]): Promise<string> {
    const folder = join(repository.path, `objects-${name}`);
    await mkdir(join(folder, 'pack'), { recursive: true });
    await git(['pack-objects', '--quiet', '--revs', '--window=0', join(folder, 'pack', 'pack')], {
      cwd: repository.path,
      input: `${revisions.join('\n')}\n`,
    });
    return folder;
  }

  it('are read with their parents', async () => {
    const commits = await leadingCommits(await packed('few', 'master', '^master~3'));
    const told = await inRepository('rev-list', '--parents', 'master~3..master');
    expect([...commits].map(([oid, parents]) => [oid, ...parents].join(' '))).toEqual(
      told.split('\n'),
    );
  });

  it('end with the pack, for every checksum', async () => {
    const tree = await inRepository('rev-parse', 'master^{tree}');
    for (let count = 0; count < 60; count += 1) {
      const message = `nothing but a message ${String(count)}`;
      const parent = await inRepository('rev-parse', 'master');
      const commit = await inRepository('commit-tree', '-p', parent, '-m', message, tree);
      const commits = await leadingCommits(await packed(`plain-${commit}`, commit, '^master'));
      expect([...commits]).toEqual([[commit, [parent]]]);
    }
  });

  /** Stores a commit of a text after `committer`, on the tip of the branch. */
  async function commitWith(rest: string): Promise<string> {
    const tree = await inRepository('rev-parse', 'master^{tree}');
    const parent = await inRepository('rev-parse', 'master');
    const person = 'J <j> 1 +0000';
    const start = `tree ${tree}\nparent ${parent}\nauthor ${person}\ncommitter ${person}\n`;
    return git(['hash-object', '-w', '-t', 'commit', '--stdin'], {
      cwd: repository.path,
      input: start + rest,
    });
  }

  it('have the parents that git reads, and ignore later headers', async () => {
    const [tip, other] = await Promise.all(
      ['master', 'master~9'].map((name) => inRepository('rev-parse', name)),
    );
    const commit = await commitWith(`parent ${other}\n\nx\n`);
    const commits = await leadingCommits(await packed('forged', commit, '^master'));
    expect([...commits]).toEqual([[commit, [tip]]]);
    expect(await inRepository('rev-list', '--parents', '-1', commit)).toBe(`${commit} ${tip}`);
  });

  it('yield to other work while they are read', async () => {
    const headers = ['encoding utf-7-imap\n', 'encoding euc-kr\n', ''];
    const ids = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        commitWith(`${headers[index % 3]}\n${'&'.repeat(1_040_000)}${index}`),
      ),
    );
    const folder = await packed('huge', ...ids, '^master');
    const waits = new EventLoopWaits();
    expect((await leadingCommits(folder)).size).toBe(30);
    // One for each commit.
    expect(waits.end().filter((wait) => wait > 0.5).length).toBeGreaterThan(20);
  });

  it('are empty for a large pack, or one with a large commit', async () => {
    const commit = async (tree: string, message: string): Promise<string> =>
      git(['commit-tree', tree], { cwd: repository.path, input: message });
    const blob = await git(['hash-object', '-w', '--stdin'], {
      cwd: repository.path,
      input: randomBytes(100_000),
    });
    const tree = await git(['mktree'], {
      cwd: repository.path,
      input: `100644 blob ${blob}\tfile\n`,
    });
    const large = await packed('large', await commit(tree, 'with much'));
    expect(await leadingCommits(large)).toEqual(new Map());
    const empty = await git(['mktree'], { cwd: repository.path });
    const long = await packed('long', await commit(empty, 'x'.repeat(2_000_000)));
    expect(await leadingCommits(long)).toEqual(new Map());
  });

  it('are empty without a pack, and with two', async () => {
    const folder = await packed('two', 'master', '^master~1');
    expect((await leadingCommits(folder)).size).toBe(1);
    await cp(join(folder, 'pack'), join(folder, 'more'), { recursive: true });
    const other = await packed('other', 'master~1', '^master~2');
    await cp(join(other, 'pack'), join(folder, 'pack'), { recursive: true });
    expect(await leadingCommits(folder)).toEqual(new Map());
    expect(await leadingCommits(join(folder, 'absent'))).toEqual(new Map());
  });
});
