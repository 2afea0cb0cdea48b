import { setImmediate as nextTurn } from 'node:timers/promises';
import { gitCommands } from './command-table.js';
import { GitProcessError, InvalidArgumentError } from './errors.js';
import { LineReply } from './line-reply.js';
import { BRANCH_PREFIX, isValidBranchName, isValidRefName } from './names.js';
import { RefChange, refFailure, transaction } from './ref-change.js';
import { RefFiles } from './ref-files.js';
import { type RefList, RefLists } from './ref-lists.js';
import { removeStaleRefLocks } from './ref-locks.js';
import type { RepositoryLocation } from './runtime.js';
import type { Oid, Ref, RefUpdate } from './types.js';

/** Refs that are read before other requests get their turn. */
const READ_AT_ONCE = 100;

/** Reads refs from their files and writes them through one `update-ref` process. */
export class RefStore {
  private readonly files: RefFiles;
  private readonly lists: RefLists;

  constructor(private readonly location: RepositoryLocation) {
    this.files = new RefFiles(location);
    this.lists = new RefLists(location, this.files);
  }

  /**
   * Refs below a prefix such as `refs/heads/`, ordered by name.
   * @throws RepositoryMissingError
   */
  async list(prefix: string): Promise<readonly Ref[]> {
    return (await this.listed(prefix)).refs;
  }

  /**
   * The same, with a name for what is listed: by it one can remember what follows from these refs.
   * @throws RepositoryMissingError
   */
  async listed(prefix: string): Promise<RefList> {
    if (!prefix.endsWith('/') || !isValidRefName(`${prefix}x`)) {
      throw new InvalidArgumentError('Not a ref prefix');
    }
    await this.location.identity();
    return this.lists.below(prefix);
  }

  /** What a ref points at, or null; a name that no ref can have is null as well. */
  async get(name: string): Promise<Oid | null> {
    if (!name.startsWith('refs/') || !isValidRefName(name)) return null;
    return this.files.resolve(name);
  }

  /** The same for many refs, in their order; other requests get their turn meanwhile. */
  async getAll(names: readonly string[]): Promise<(Oid | null)[]> {
    const targets: (Oid | null)[] = [];
    for (const name of names) {
      targets.push(await this.get(name));
      if (targets.length % READ_AT_ONCE === 0) await nextTurn();
    }
    return targets;
  }

  /** The commit or other object behind a tag object, when `packed-refs` knows it for this ref. */
  async peeled(name: string): Promise<Oid | null> {
    return (await this.files.packed()).value.peeled.get(name) ?? null;
  }

  /** The name of the branch HEAD stands for, without `refs/heads/`; it may not exist yet. */
  head(): Promise<string | null> {
    const target = this.files.head();
    const isBranch = target?.startsWith(BRANCH_PREFIX) === true;
    return Promise.resolve(isBranch ? target.slice(BRANCH_PREFIX.length) : null);
  }

  /** Lets HEAD stand for a branch, which need not exist. */
  async setHead(branch: string): Promise<void> {
    if (!isValidBranchName(branch)) throw new InvalidArgumentError('Not a branch name');
    await this.location.identity();
    const { requestTimeoutMs } = this.location.runtime;
    const command = gitCommands.setHead(this.location.path, BRANCH_PREFIX + branch);
    await this.location.run(command, { timeoutMs: requestTimeoutMs });
  }

  /**
   * Frees refs from the locks of a git that was killed. Only while the caller keeps all other
   * writers away; takes a second where there is such a lock.
   */
  async removeStaleLocks(names: readonly string[]): Promise<void> {
    await this.location.identity();
    await removeStaleRefLocks(this.location.path, names);
  }

  /** Starts a change of refs that can be written down before it is made. */
  begin(): Promise<RefChange> {
    return RefChange.begin(this.location);
  }

  /**
   * Applies all updates or none.
   * @throws StaleRefError when a ref does not have its expected old value
   * @throws RefConflictError when a ref stands in the way (`a` and `a/b`)
   * @throws RefLockedError when another writer held a lock for more than 5 s
   */
  async update(updates: readonly RefUpdate[]): Promise<void> {
    if (updates.length === 0) return;
    const { path, runtime } = this.location;
    try {
      await runtime.pool.request({
        owner: await this.location.identity(),
        command: gitCommands.updateRefs(path),
        input: transaction(updates),
        reply: () => new LineReply('commit: ok', () => undefined),
        repeatable: false,
      });
    } catch (error) {
      throw error instanceof GitProcessError ? refFailure(error) : error;
    }
  }
}
