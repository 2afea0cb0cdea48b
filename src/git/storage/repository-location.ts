import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { GitMemoryTakenError, GitProcessError, RepositoryMissingError } from '../model/errors.js';
import type { PoolRequest } from '../process/co-process-pool.js';
import type { GitCommand } from '../process/command-table.js';
import {
  lowerPriority,
  outputOf,
  type CommandOptions,
  type RunResult,
} from '../process/launcher.js';
import type { WorkClient, ProcessPurpose, Workload } from '../process/process-scheduler.js';
import { READER_MEMORY } from '../process/reader-memory.js';
import type { GitRuntime } from '../process/runtime.js';
import { LOOKS } from './file-looks.js';
import { statIfPresent } from './file-mark.js';
import { type KnownRefs, type RepositoryView, type Snapshot, viewOf } from './repository-view.js';

/** How a repository is opened. */
export interface LocationOptions {
  /** The name of the storage, whose looks at files are limited together. */
  readonly storage: string;
  /** Absent: only the files say what is current. */
  readonly known?: KnownRefs | undefined;
  /** The branch that HEAD means, null for none; by default the file HEAD says so. */
  readonly head?: string | null | undefined;
  /** The client that waits for what is run; absent where none does. */
  readonly client?: WorkClient | undefined;
  /** Whether branches and tags may be those of the known version, read up to a second ago. */
  readonly usesSnapshot?: boolean;
  /** Waits until the files show what was recorded, within a time limit. Returns the refs of which they do not. */
  readonly awaitRecorded?: (
    location: RepositoryLocation,
    known: KnownRefs,
  ) => Promise<ReadonlySet<string>>;
}

/** The path of a repository and the identity of its folder. A repository that is created anew has another identity. */
export class RepositoryLocation {
  readonly view: RepositoryView;
  private current: Promise<string> | undefined;
  private confirming: Promise<void> | undefined;

  constructor(
    readonly path: string,
    readonly runtime: GitRuntime,
    readonly options: LocationOptions = { storage: 'default' },
  ) {
    this.view = viewOf(runtime, path);
  }

  /** A location beside this one, in the same storage. */
  beside(path: string): RepositoryLocation {
    return new RepositoryLocation(path, this.runtime, { storage: this.options.storage });
  }

  /**
   * Returns the identity of the current folder, the key of all caches. Calls within one tick share one look, and
   * those that know a version share one for the duration of a snapshot.
   * @throws RepositoryMissingError
   * @throws StorageUnavailableError
   */
  identity(): Promise<string> {
    if (this.options.known === undefined) return this.identityOfTick();
    return this.advance()?.then(() => this.identityOfSnapshot()) ?? this.identityOfSnapshot();
  }

  /** Resolves when what is read from now on is at least of the known version; undefined when it is already. */
  advance(): Promise<void> | undefined {
    const { known } = this.options;
    return known !== undefined && known.version > this.view.version
      ? this.advanceTo(known)
      : undefined;
  }

  /** The snapshot in which reads of branches and tags may share their results; undefined where each has to look. */
  get snapshot(): Snapshot | undefined {
    return this.options.usesSnapshot === true ? this.view.snapshot : undefined;
  }

  /** This process has moved the refs after those of the known version. */
  noteOwnMove(): void {
    const { view } = this;
    const version = this.options.known?.version ?? -1;
    // What others have recorded up to a version that was not seen is still to be awaited, with the next one.
    view.moveTo(version > view.version ? view.version : version + 1);
  }

  /**
   * Reads metadata and small files within a time limit.
   * @throws StorageUnavailableError
   */
  look<T>(read: () => Promise<T>): Promise<T> {
    return this.runtime.shared(LOOKS).look(this.options.storage, read);
  }

  /**
   * Runs a git command for the repository when the scheduler admits it.
   * @param kind by default the current kind of work
   * @throws RepositoryMissingError when the repository was removed meanwhile
   */
  run(
    command: GitCommand,
    options: Omit<CommandOptions, 'workload'>,
    kind: ProcessPurpose = this.runtime.currentWorkKind(),
  ): Promise<RunResult> {
    const workload = this.workload(kind);
    return this.unlessRemoved(this.runtime.launcher.run(command, { ...options, workload }));
  }

  /**
   * Starts a process that reads for the client, and returns its output, which has to be read or destroyed. The caller has to
   * limit the number of these processes.
   * @param expectedBytes how much memory it may take at once
   * @throws GitMemoryTakenError in the stream, when the processes of the client's address take too much memory
   */
  openReader(command: GitCommand, expectedBytes = 0): Readable {
    const { launcher, limits } = this.runtime;
    const child = launcher.spawn(command, ['ignore', 'pipe', 'pipe']);
    const output = outputOf(child, command.name, limits.streamIdleMs);
    // It may be stopped before it has a listener; a later reader gets the error as well.
    output.on('error', () => undefined);
    this.watchReader(child, () => output.destroy(new GitMemoryTakenError()), expectedBytes);
    return output;
  }

  /**
   * Counts the memory of a process that reads for the client, and lowers its priority.
   * @param onExceeded called when the process has to be stopped
   */
  watchReader(child: ChildProcess, onExceeded: () => void, expectedBytes = 0): void {
    lowerPriority(child, 'interactive');
    this.runtime.shared(READER_MEMORY).watch({
      child,
      client: this.options.client,
      expectedBytes,
      startedAt: performance.now(),
      onExceeded: () => {
        this.runtime.launcher.observer.exceeded('reader_memory');
        onExceeded();
      },
    });
  }

  /**
   * Waits until the processes that read for the client's address take less than half of the memory of all.
   * @throws the reason of the signal
   */
  whenReadersHaveRoom(signal: AbortSignal): Promise<void> {
    return this.runtime.shared(READER_MEMORY).room(this.options.client, signal);
  }

  /** What a process for this repository counts as. */
  workload(kind: ProcessPurpose = this.runtime.currentWorkKind()): Workload {
    return { kind, repository: this.path, client: this.options.client };
  }

  /**
   * Asks a long-lived git process of the repository.
   * @throws RepositoryMissingError
   */
  async ask<T>(request: Omit<PoolRequest<T>, 'owner'>): Promise<T> {
    const owner = await this.identity();
    return this.unlessRemoved(this.runtime.pool.request({ owner, ...request }));
  }

  /**
   * Asks what may take long: when the scheduler admits it, and a process that works on nothing else.
   * @throws RepositoryMissingError
   */
  async askAlone<T>(request: Omit<PoolRequest<T>, 'owner' | 'isAlone'>): Promise<T> {
    const { launcher, pool } = this.runtime;
    const owner = await this.identity();
    const release = await launcher.admit(this.workload());
    try {
      return await this.unlessRemoved(pool.request({ owner, isAlone: true, ...request }));
    } finally {
      release();
    }
  }

  /**
   * Waits for an answer of git, which has many messages for a repository that was removed meanwhile.
   * @throws RepositoryMissingError
   */
  async unlessRemoved<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof GitProcessError) await this.assertExists();
      throw error;
    }
  }

  /**
   * Looks for the folder and for what git needs in it, whatever was read of it before.
   * @throws RepositoryMissingError
   */
  async assertExists(): Promise<void> {
    await this.readIdentity();
    for (const name of ['HEAD', 'objects']) {
      const found = await this.look(() => statIfPresent(join(this.path, name)));
      if (found === null) throw new RepositoryMissingError(this.path);
    }
  }

  private identityOfSnapshot(): Promise<string> {
    const { snapshot } = this.view;
    if (snapshot.identity === undefined) {
      const reading = this.readIdentity();
      snapshot.identity = reading;
      reading.catch(() => {
        if (snapshot.identity === reading) snapshot.identity = undefined;
      });
    }
    return snapshot.identity;
  }

  private identityOfTick(): Promise<string> {
    if (this.current === undefined) {
      this.current = this.readIdentity();
      process.nextTick(() => {
        this.current = undefined;
      });
    }
    return this.current;
  }

  /** Without its folder `refs`, a repository would be read as if it had no refs, or those of an earlier time. */
  private async readIdentity(): Promise<string> {
    const found = await this.look(async () => {
      const refs = await statIfPresent(join(this.path, 'refs'));
      return refs?.isDirectory() === true ? statIfPresent(this.path) : null;
    });
    if (found?.isDirectory() !== true) throw new RepositoryMissingError(this.path);
    const { dev, ino, birthtimeNs } = found;
    return `${this.path}\0${dev}:${ino}:${birthtimeNs}`;
  }

  /**
   * Reads that use snapshots share the way to a newer version. Others may hold the lock under which the refs move, and a
   * connection of the database with it, and do not wait for each other.
   */
  private async advanceTo(known: KnownRefs): Promise<void> {
    if (this.options.usesSnapshot !== true) {
      // A caller that reads many refs at once waits for one of its own.
      this.confirming ??= this.confirm(known).finally(() => {
        this.confirming = undefined;
      });
      return this.confirming;
    }
    while (known.version > this.view.version) {
      if (this.view.advancing !== undefined) {
        await this.view.advancing;
        continue;
      }
      const confirming = this.confirm(known);
      this.view.advancing = confirming.then(
        () => undefined,
        () => undefined,
      );
      try {
        await confirming;
      } finally {
        this.view.advancing = undefined;
      }
    }
  }

  private async confirm(known: KnownRefs): Promise<void> {
    const { version } = known;
    const { awaitRecorded } = this.options;
    // Nothing was recorded before the first version.
    const doubtful = version === 0 ? undefined : await awaitRecorded?.(this, known);
    this.view.advanceTo(version, doubtful ?? new Set());
  }
}
