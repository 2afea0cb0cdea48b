import { gitCommands } from './command-table.js';
import { DiffReply, EnoughRead } from './diff-reply.js';
import { GitProcessError, ObjectMissingError } from './errors.js';
import type { ObjectReader } from './object-reader.js';
import type { RepositoryLocation } from './runtime.js';
import type { Diff, Oid } from './types.js';

const END = '#end';
/** git knows it in every repository, stored or not. */
const EMPTY_TREE: Oid = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const ENTRY_OVERHEAD_BYTES = 500;

/** Differences between commits, through one `diff-tree` process; remembered by the two trees. */
export class Diffs {
  constructor(
    private readonly location: RepositoryLocation,
    private readonly objects: ObjectReader,
  ) {}

  /**
   * What leads from one commit to another; null stands for nothing at all. Where git has not the memory
   * to find that out, no file is named and the difference is cut.
   * @throws ObjectMissingError
   */
  async between(from: Oid | null, to: Oid): Promise<Diff> {
    const [before, after] = await Promise.all([this.treeOf(from), this.treeOf(to)]);
    if (before === after) return { entries: [], isCut: false };
    const key = `${await this.location.identity()}\0${before}\0${after}`;
    const cache = this.location.runtime.caches.diffs;
    const known = cache.get(key);
    if (known) return known;
    const diff = await this.ask(before, after);
    cache.set(key, diff, weightOf(diff));
    return diff;
  }

  private async treeOf(oid: Oid | null): Promise<Oid> {
    if (oid === null) return EMPTY_TREE;
    const commit = await this.objects.commit(oid);
    if (!commit) throw new ObjectMissingError(oid);
    return commit.tree;
  }

  private async ask(before: Oid, after: Oid): Promise<Diff> {
    const { path, runtime } = this.location;
    try {
      const diff = await runtime.pool.request({
        owner: await this.location.identity(),
        command: gitCommands.diffTree(path),
        // A line that is no object id comes back as it is, behind the answer.
        input: `${before} ${after}\n${END}\n`,
        reply: () => new DiffReply(END),
        repeatable: true,
      });
      if (diff === null) throw new ObjectMissingError(before);
      return diff;
    } catch (error) {
      if (error instanceof EnoughRead) return error.diff;
      if (error instanceof GitProcessError && error.isExhausted) {
        return { entries: [], isCut: true };
      }
      throw error;
    }
  }
}

function weightOf({ entries }: Diff): number {
  const sizes = entries.map(
    ({ text, oldPath, newPath }) => text.length + oldPath.length + newPath.length,
  );
  return sizes.reduce((sum, size) => sum + size + ENTRY_OVERHEAD_BYTES, 0);
}
