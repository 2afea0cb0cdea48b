import type { ChildProcess } from 'node:child_process';
import {
  GitProcessError,
  RefConflictError,
  RefLockedError,
  StaleRefError,
} from '../model/errors.js';
import { assertOid, assertRefName } from '../model/names.js';
import type { RefUpdate } from '../model/types.js';
import { gitCommands } from '../process/command-table.js';
import { endWithin, exitOf, stderrTail } from '../process/launcher.js';
import type { RepositoryLocation } from '../storage/repository-location.js';

/** What git answers when it has locked the refs of a transaction. */
const PREPARED = 'prepare: ok';

/** git waits five seconds for each lock. */
const LIMIT_MS = 60_000;

/**
 * A change of refs by its own git process. The process id is known before refs move, so that it can be recorded
 * with the intent.
 */
export class RefChange {
  private readonly stderr: () => string;
  private readonly ended: Promise<number | null>;
  /** Resolves with false when git has ended before it had locked the refs. */
  private readonly prepared: Promise<boolean>;

  private constructor(private readonly child: ChildProcess) {
    this.stderr = stderrTail(child.stderr);
    this.ended = exitOf(child);
    this.ended.catch(() => undefined);
    // git may end before it has read all input. The exit code shows whether that is a failure.
    child.stdin?.on('error', () => undefined);
    this.prepared = hasPrepared(child);
  }

  static async begin(location: RepositoryLocation): Promise<RefChange> {
    await location.identity();
    const { launcher } = location.runtime;
    const child = launcher.spawn(gitCommands.updateRefs(location.path), ['pipe', 'pipe', 'pipe']);
    launcher.spare(child);
    return new RefChange(child);
  }

  /** The id of the git process, null when it could not be started. */
  get processId(): number | null {
    return this.child.pid ?? null;
  }

  /**
   * Applies all updates or none, and resolves when git has ended.
   * @param confirm called when the refs are locked, and before one moves; no ref moves if it fails
   * @throws StaleRefError when a ref does not have its expected old value
   * @throws RefConflictError when another ref prevents a new one (`a` and `a/b`)
   * @throws RefLockedError when another writer held a lock for more than 5 s
   * @throws the error of `confirm`; git runs until `abandon` then
   */
  async commit(updates: readonly RefUpdate[], confirm?: () => Promise<void>): Promise<void> {
    // Limits the time in which git locks the refs, too: its file system may hang.
    const ended = this.end();
    ended.catch(() => undefined);
    if (confirm === undefined) this.child.stdin?.end(transaction(updates));
    else await this.commitConfirmed(updates, confirm);
    const code = await ended;
    if (code !== 0) throw refFailure(new GitProcessError('update-ref', code, this.stderr()));
  }

  private async commitConfirmed(
    updates: readonly RefUpdate[],
    confirm: () => Promise<void>,
  ): Promise<void> {
    this.child.stdin?.write(preparation(updates));
    if (!(await this.prepared)) return;
    await confirm();
    this.child.stdin?.end(COMMIT);
  }

  /** Ends git without moving refs, and resolves when it has ended. Has no effect after `commit`. */
  async abandon(): Promise<void> {
    this.child.stdin?.end();
    await this.end().catch(() => null);
  }

  private async end(): Promise<number | null> {
    await endWithin(this.child, LIMIT_MS);
    return this.ended;
  }
}

/** Returns the input of `update-ref --stdin -z`. */
export function transaction(updates: readonly RefUpdate[]): string {
  return preparation(updates) + COMMIT;
}

const COMMIT = 'commit\0';

/** Without what follows git rolls the transaction back. */
function preparation(updates: readonly RefUpdate[]): string {
  return `start\0${updates.map(instruction).join('')}prepare\0`;
}

function instruction(update: RefUpdate): string {
  const ref = assertRefName(update.ref);
  return `update ${ref}\0${assertOid(update.newOid)}\0${assertOid(update.oldOid)}\0`;
}

function hasPrepared({ stdout }: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    let text = '';
    stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (text.includes(PREPARED)) resolve(true);
    });
    stdout?.once('close', () => resolve(false));
  });
}

/** Returns the domain error for a transaction that git refused, which it explains on standard error only. */
export function refFailure(error: GitProcessError): Error {
  if (error.isOfStorage) return error;
  const text = error.stderr;
  const conflict = /cannot lock ref '([^']+)': '([^']+)' exists; cannot create/.exec(text);
  if (conflict) return new RefConflictError(conflict[1] ?? '', conflict[2] ?? '');
  const twice = /cannot process '([^']+)' and '([^']+)' at the same time/.exec(text);
  if (twice) return new RefConflictError(twice[1] ?? '', twice[2] ?? '');
  const stale =
    /cannot lock ref '([^']+)': (?:is at |reference |unable to resolve reference |error reading reference)/.exec(
      text,
    );
  if (stale) return new StaleRefError(stale[1] ?? '');
  if (/Unable to create '.*\.lock'/.test(text)) return new RefLockedError(text.trim());
  return error;
}
