import {
  GitProcessError,
  InvalidArgumentError,
  RefConflictError,
  StaleRefError,
} from '../model/errors.js';
import {
  assertOid,
  BRANCH_PREFIX,
  assertBranchName,
  isValidRefName,
  KEPT_PREFIX,
  RESERVED_PREFIXES,
} from '../model/names.js';
import { type Oid, type Ref, type RefUpdate, ZERO_OID } from '../model/types.js';
import { LineReply } from '../process/co-process.js';
import { gitCommands } from '../process/command-table.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import { RefChange, refFailure, transaction } from './ref-change.js';
import { RefFiles } from './ref-files.js';
import { findUnseen } from './recorded-refs.js';
import { type RefList, RefLists } from './ref-lists.js';
import { removeStaleRefLocks } from './stale-locks.js';

/** Refs that are asked for at once; the storage limits how many of them it reads. */
const READ_AT_ONCE = 100;

/** Concurrent writers of the same refs make each other fail. */
const MAX_ROUNDS = 5;

/** Reads refs from their files, and writes them through a long-lived `update-ref` process. */
export class RefStore {
  private readonly files: RefFiles;
  private readonly lists: RefLists;

  constructor(private readonly location: RepositoryLocation) {
    this.files = new RefFiles(location);
    this.lists = new RefLists(location, this.files);
  }

  /**
   * Lists refs below a prefix such as `refs/heads/`, sorted by name.
   * @throws RepositoryMissingError
   */
  async list(prefix: string): Promise<readonly Ref[]> {
    return (await this.listed(prefix)).refs;
  }

  /**
   * Lists refs with the version of the list, a key for caching what is derived from it.
   * @throws RepositoryMissingError
   */
  async listed(prefix: string): Promise<RefList> {
    if (!prefix.endsWith('/') || !isValidRefName(`${prefix}x`)) {
      throw new InvalidArgumentError('Not a ref prefix');
    }
    await this.location.identity();
    return this.lists.below(prefix);
  }

  /**
   * Lists the refs that clients may push to, sorted by name.
   * @throws RepositoryMissingError
   */
  async listPushable(): Promise<readonly Ref[]> {
    await this.location.identity();
    return (await this.lists.below('refs/', RESERVED_PREFIXES)).refs;
  }

  /**
   * Returns the object a ref points at, null for a ref that does not exist and for invalid names.
   * @throws RepositoryMissingError
   */
  async get(name: string): Promise<Oid | null> {
    if (!name.startsWith('refs/') || !isValidRefName(name)) return null;
    const advancing = this.location.advance();
    if (advancing !== undefined) await advancing;
    return (await this.files.resolve(name)) ?? this.absent();
  }

  /**
   * Reads many refs, in their order.
   * @throws RepositoryMissingError
   */
  async getAll(names: readonly string[]): Promise<(Oid | null)[]> {
    const targets: (Oid | null)[] = [];
    for (let at = 0; at < names.length; at += READ_AT_ONCE) {
      const some = names.slice(at, at + READ_AT_ONCE);
      targets.push(...(await Promise.all(some.map((name) => this.get(name)))));
    }
    return targets;
  }

  /** Returns the object behind a tag object if `packed-refs` has it for this ref. */
  async peeled(name: string): Promise<Oid | null> {
    return (await this.files.packed()).value.peeled.get(name) ?? null;
  }

  /**
   * Returns the name of the branch that HEAD points at, without `refs/heads/`. It may not exist.
   * @throws RepositoryMissingError
   */
  async head(): Promise<string | null> {
    const target = (await this.files.head()) ?? (await this.absent());
    const isBranch = target?.startsWith(BRANCH_PREFIX) === true;
    return isBranch ? target.slice(BRANCH_PREFIX.length) : null;
  }

  /**
   * Returns those of some refs whose files still have another value than another process has recorded. Git would
   * compare with that other value, so a change by it could undo what was recorded.
   */
  async findDoubtful(names: readonly string[]): Promise<string[]> {
    await this.location.advance();
    const { view, options } = this.location;
    if (view.doubtful.size === 0 || options.known === undefined) return [];
    view.doubtful = await findUnseen(this.location, await options.known.findRecorded());
    return names.filter((name) => view.doubtful.has(name));
  }

  /** The caller has moved the refs, under the push lock, after those of the version by which the repository was opened. */
  noteOwnMove(): void {
    this.location.noteOwnMove();
  }

  /** Points HEAD at a branch, which need not exist. */
  async setHead(branch: string): Promise<void> {
    assertBranchName(branch);
    await this.location.identity();
    const { requestTimeoutMs } = this.location.runtime.limits;
    const command = gitCommands.setHead(this.location.path, BRANCH_PREFIX + branch);
    await this.location.run(command, { timeoutMs: requestTimeoutMs });
  }

  /**
   * Removes the locks of killed git processes on refs. The caller has to exclude all other writers. Takes a
   * second if there is such a lock.
   */
  async removeStaleLocks(names: readonly string[]): Promise<void> {
    await this.location.identity();
    await removeStaleRefLocks(this.location.path, names, this.location.runtime.lockOwners);
  }

  /** Starts a change of refs whose process id can be recorded before refs move. */
  begin(): Promise<RefChange> {
    return RefChange.begin(this.location);
  }

  /**
   * Applies all updates or none.
   * @throws StaleRefError when a ref does not have its expected old value
   * @throws RefConflictError when another ref prevents a new one (`a` and `a/b`)
   * @throws RefLockedError when another writer held a lock for more than 5 s
   */
  async update(updates: readonly RefUpdate[]): Promise<void> {
    if (updates.length === 0) return;
    try {
      await this.location.ask({
        command: gitCommands.updateRefs(this.location.path),
        input: transaction(updates),
        reply: () => new LineReply('commit: ok', () => undefined),
        repeatable: false,
      });
    } catch (error) {
      throw error instanceof GitProcessError ? refFailure(error) : error;
    }
  }

  /**
   * Returns that there is no such ref.
   * @throws RepositoryMissingError where it is absent with the whole repository
   */
  private async absent(): Promise<null> {
    await this.location.identity();
    return null;
  }
}

/**
 * Keeps commits and everything reachable from them, even if their branches are deleted, by one hidden ref for
 * each commit. Idempotent. Creates all missing refs or none.
 */
export async function keepAround(refs: RefStore, oids: readonly Oid[]): Promise<void> {
  for (let round = 1; ; round += 1) {
    const missing = await findUnkept(refs, oids);
    try {
      await refs.update(
        missing.map((oid) => ({ ref: KEPT_PREFIX + oid, oldOid: ZERO_OID, newOid: oid })),
      );
      return;
    } catch (error) {
      const isLate = error instanceof StaleRefError || error instanceof RefConflictError;
      if (!isLate || round === MAX_ROUNDS) throw error;
    }
  }
}

/** Returns those of some commits that `keepAround` has yet to keep, each once. */
export async function findUnkept(refs: RefStore, oids: readonly Oid[]): Promise<Oid[]> {
  const asked = [...new Set(oids.map(assertOid))];
  const targets = await refs.getAll(asked.map((oid) => KEPT_PREFIX + oid));
  return asked.filter((_, index) => targets[index] === null);
}
