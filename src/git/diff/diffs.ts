import { MIB } from '../model/bytes.js';
import { GitTimeoutError, ObjectMissingError } from '../model/errors.js';
import type { Diff, Oid } from '../model/types.js';
import type { ObjectReader } from '../objects/object-reader.js';
import { LineReply } from '../process/co-process.js';
import { gitCommands } from '../process/command-table.js';
import { isExhausted, preferRenames } from '../process/prefer-renames.js';
import { SharedState } from '../process/runtime.js';
import { ByteCache } from '../storage/byte-cache.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import { DiffLimitReached, DiffReply } from './diff-reply.js';

/** Differences by their two trees. */
const DIFFS = new SharedState(() => new ByteCache<Diff>('diffs', 16 * MIB));
/** Numbers of changed lines by commit. */
const CHANGE_COUNTS = new SharedState(() => new ByteCache<ChangeCounts>('change_counts', 1 * MIB));

const END = '#end';
/** git knows the empty tree in every repository. */
export const EMPTY_TREE: Oid = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const ENTRY_OVERHEAD_BYTES = 500;
const COUNTS_BYTES = 100;

/** The numbers of lines that a commit changes. Binary files count as 0. */
export interface ChangeCounts {
  additions: number;
  deletions: number;
}

/** Computes differences with a long-lived `diff-tree` process, and caches them by their two trees. */
export class Diffs {
  constructor(
    private readonly location: RepositoryLocation,
    private readonly objects: ObjectReader,
  ) {}

  /**
   * Returns the difference between two commits; null stands for the empty tree. Has renames unless git would need too much time
   * or memory to find them. When git exceeds its memory limit without them, the difference has no files and is cut.
   * @throws ObjectMissingError
   * @throws GitTimeoutError
   */
  async between(from: Oid | null, to: Oid): Promise<Diff> {
    const [before, after] = await Promise.all([this.treeOf(from), this.treeOf(to)]);
    if (before === after) return { entries: [], isCut: false };
    const key = `${await this.location.identity()}\0${before}\0${after}`;
    const cache = this.location.runtime.shared(DIFFS);
    const known = cache.get(key);
    if (known) return known;
    const diff = await this.compare(`diff\0${key}`, before, after);
    cache.set(key, diff, weightOf(diff));
    return diff;
  }

  /**
   * Counts the lines that a commit changes against its first parent, or a root commit against the empty tree. Of a
   * renamed file only the lines count that differ, unless git would need too much time or memory to find renames.
   * @throws ObjectMissingError
   * @throws GitTimeoutError
   */
  async stats(oid: Oid): Promise<ChangeCounts> {
    const key = `${oid}\0${await this.location.identity()}`;
    const cache = this.location.runtime.shared(CHANGE_COUNTS);
    const known = cache.get(key);
    if (known) return known;
    const commit = await this.objects.commit(oid);
    if (!commit) throw new ObjectMissingError(oid);
    const before = await this.treeOf(commit.parents[0] ?? null);
    const counts = await this.countChanges(`stats\0${key}`, before, commit.tree);
    cache.set(key, counts, COUNTS_BYTES);
    return counts;
  }

  /**
   * Counts as `stats` for several commits, one after the other. What is counted when the time is up stays cached.
   * @throws ObjectMissingError
   * @throws GitTimeoutError
   */
  async statsOf(oids: readonly Oid[]): Promise<ChangeCounts[]> {
    const { requestTimeoutMs } = this.location.runtime.limits;
    const deadline = Date.now() + requestTimeoutMs;
    const counts: ChangeCounts[] = [];
    for (const oid of oids) {
      if (Date.now() > deadline) throw new GitTimeoutError('diff-tree', requestTimeoutMs);
      counts.push(await this.stats(oid));
    }
    return counts;
  }

  private async countChanges(key: string, before: Oid, after: Oid): Promise<ChangeCounts> {
    if (before === after) return { additions: 0, deletions: 0 };
    try {
      return await preferRenames(this.location.runtime, key, (renames) =>
        this.countLines(before, after, { renames }),
      );
    } catch (error) {
      // As a difference that does not fit has no entries.
      if (isExhausted(error)) return { additions: 0, deletions: 0 };
      throw error;
    }
  }

  /** Names the trees, since git would keep the commits in memory. */
  private async countLines(
    before: Oid,
    after: Oid,
    options: { renames: boolean },
  ): Promise<ChangeCounts> {
    const trees = `${before} ${after}`;
    // Null until git has repeated the trees: it does not where it cannot read them.
    const read: { counts: ChangeCounts | null } = { counts: null };
    await this.location.askAlone({
      timeoutMs: this.location.runtime.limits.comparisonTimeoutMs,
      command: gitCommands.diffTreeCounts(this.location.path, options),
      // git echoes a line that is not an object id, which marks the end of the answer.
      input: `${trees}\n${END}\n`,
      reply: () => {
        read.counts = null;
        return new LineReply(END, (line) => {
          if (line === trees) read.counts = { additions: 0, deletions: 0 };
          else if (read.counts !== null) addCounts(read.counts, line);
        });
      },
      repeatable: true,
    });
    if (read.counts === null) throw new ObjectMissingError(after);
    return read.counts;
  }

  private async treeOf(oid: Oid | null): Promise<Oid> {
    if (oid === null) return EMPTY_TREE;
    const commit = await this.objects.commit(oid);
    if (!commit) throw new ObjectMissingError(oid);
    return commit.tree;
  }

  private async compare(key: string, before: Oid, after: Oid): Promise<Diff> {
    try {
      return await preferRenames(this.location.runtime, key, (renames) =>
        this.ask(before, after, { renames }),
      );
    } catch (error) {
      if (isExhausted(error)) return { entries: [], isCut: true };
      throw error;
    }
  }

  private async ask(before: Oid, after: Oid, options: { renames: boolean }): Promise<Diff> {
    try {
      const diff = await this.location.askAlone({
        timeoutMs: this.location.runtime.limits.comparisonTimeoutMs,
        command: gitCommands.diffTree(this.location.path, options),
        // git echoes a line that is not an object id, which marks the end of the answer.
        input: `${before} ${after}\n${END}\n`,
        reply: () => new DiffReply(END),
        repeatable: true,
      });
      if (diff === null) throw new ObjectMissingError(before);
      return diff;
    } catch (error) {
      if (error instanceof DiffLimitReached) return error.diff;
      throw error;
    }
  }
}

function addCounts(counts: ChangeCounts, line: string): void {
  const match = /^(\d+)\t(\d+)\t/.exec(line);
  counts.additions += Number(match?.[1] ?? 0);
  counts.deletions += Number(match?.[2] ?? 0);
}

function weightOf({ entries }: Diff): number {
  const sizes = entries.map(
    ({ text, oldPath, newPath }) => text.length + oldPath.length + newPath.length,
  );
  return sizes.reduce((sum, size) => sum + size + ENTRY_OVERHEAD_BYTES, 0);
}
