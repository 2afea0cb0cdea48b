import { gitCommands } from './command-table.js';
import { GitProcessError, InvalidArgumentError, RefConflictError } from './errors.js';
import { RefLockedError, StaleRefError } from './errors.js';
import { LineReply } from './line-reply.js';
import { assertOid, assertRefName, isValidBranchName, isValidRefName } from './names.js';
import { RefFiles } from './ref-files.js';
import { removeStaleRefLocks } from './ref-locks.js';
import type { Place } from './room.js';
import type { Oid, Ref, RefUpdate } from './types.js';

const BRANCHES = 'refs/heads/';

/** Reads refs from their files and writes them through one `update-ref` process. */
export class RefStore {
  private readonly files: RefFiles;

  constructor(private readonly place: Place) {
    this.files = new RefFiles(place);
  }

  /**
   * Refs below a prefix such as `refs/heads/`, ordered by name.
   * @throws RepositoryMissingError
   */
  async list(prefix: string): Promise<Ref[]> {
    if (!prefix.endsWith('/') || !isValidRefName(`${prefix}x`)) {
      throw new InvalidArgumentError('Not a ref prefix');
    }
    await this.place.identity();
    return this.files.list(prefix);
  }

  /** What a ref points at, or null; a name that no ref can have is null as well. */
  async get(name: string): Promise<Oid | null> {
    if (!name.startsWith('refs/') || !isValidRefName(name)) return null;
    return this.files.resolve(name);
  }

  /** The commit or other object behind a tag object, when `packed-refs` knows it for this ref. */
  async peeled(name: string): Promise<Oid | null> {
    return (await this.files.packed()).peeled.get(name) ?? null;
  }

  /** The name of the branch HEAD stands for, without `refs/heads/`; it may not exist yet. */
  async head(): Promise<string | null> {
    const target = await this.files.head();
    return target?.startsWith(BRANCHES) ? target.slice(BRANCHES.length) : null;
  }

  /** Lets HEAD stand for a branch, which need not exist. */
  async setHead(branch: string): Promise<void> {
    if (!isValidBranchName(branch)) throw new InvalidArgumentError('Not a branch name');
    await this.place.identity();
    const { launcher, requestTimeoutMs } = this.place.room;
    const command = gitCommands.setHead(this.place.path, BRANCHES + branch);
    await launcher.run(command, { timeoutMs: requestTimeoutMs });
  }

  /**
   * Frees refs from the locks of a git that was killed. Only while the caller keeps all other
   * writers away; takes a second where there is such a lock.
   */
  async removeStaleLocks(names: readonly string[]): Promise<void> {
    await this.place.identity();
    await removeStaleRefLocks(this.place.path, names);
  }

  /**
   * Applies all updates or none.
   * @throws StaleRefError when a ref does not have its expected old value
   * @throws RefConflictError when a ref stands in the way (`a` and `a/b`)
   * @throws RefLockedError when another writer held a lock for more than 5 s
   */
  async update(updates: readonly RefUpdate[]): Promise<void> {
    const input = updates.map(instruction).join('');
    if (input === '') return;
    const { path, room } = this.place;
    try {
      await room.pool.request({
        owner: await this.place.identity(),
        command: gitCommands.updateRefs(path),
        input: `start\0${input}prepare\0commit\0`,
        reply: () => new LineReply('commit: ok', () => undefined),
        repeatable: false,
      });
    } catch (error) {
      throw error instanceof GitProcessError ? refFailure(error) : error;
    }
  }
}

function instruction(update: RefUpdate): string {
  const ref = assertRefName(update.ref);
  return `update ${ref}\0${assertOid(update.newOid)}\0${assertOid(update.oldOid)}\0`;
}

/** git explains a refused transaction in its last words only. */
function refFailure(error: GitProcessError): Error {
  const text = error.stderr;
  const conflict = /cannot lock ref '([^']+)': '([^']+)' exists; cannot create/.exec(text);
  if (conflict) return new RefConflictError(conflict[1] ?? '', conflict[2] ?? '');
  const twice = /cannot process '([^']+)' and '([^']+)' at the same time/.exec(text);
  if (twice) return new RefConflictError(twice[1] ?? '', twice[2] ?? '');
  const stale =
    /cannot lock ref '([^']+)': (?:is at |reference |unable to resolve reference )/.exec(text);
  if (stale) return new StaleRefError(stale[1] ?? '');
  if (/Unable to create '.*\.lock'/.test(text)) return new RefLockedError(text.trim());
  return error;
}
