import type { CoProcessPool } from './co-process-pool.js';
import type { RuntimeFolders } from './environment.js';
import type { Launcher } from './launcher.js';
import type { LockOwners } from './lock-owners.js';
import type { ProcessPurpose } from './process-scheduler.js';

/** The least rate at which a client has to send and to read. */
export interface ClientRate {
  readonly bytesPerSecond: number;
  /** How far a client may fall behind that rate; milliseconds. */
  readonly patienceMs: number;
}

export interface RuntimeLimits {
  /** How long git may take to answer one request. */
  requestTimeoutMs: number;
  /** How long git may compare contents, for a merge or a difference: with detection of renames, and then without. */
  comparisonTimeoutMs: number;
  /** How long a file system may take to answer about one file. */
  lookTimeoutMs: number;
  /** Of Node's pool, in which file systems are asked. */
  threads: number;
  /** How long a conversation with a client may pass without a byte either way. */
  streamIdleMs: number;
  clientRate: ClientRate;
  /** How long after the start of a fetch its client may still send what it wants and has. */
  negotiationMs: number;
  /** Bytes of memory that all pushes together may take beyond what their size explains. */
  pushMemoryBytes: number;
  /** Milliseconds of processor time that git may take for a push or import beyond what its size explains. */
  pushTimeMs: number;
  /** Bytes of memory that all processes together may take that read for clients. */
  readerMemoryBytes: number;
}

/**
 * Defines state that all repositories of a process share, such as a cache. The module that uses the state
 * defines it, so that the runtime does not have to know it.
 */
export class SharedState<T> {
  constructor(readonly create: (limits: RuntimeLimits) => T) {}
}

/** What all repositories of a process share. */
export class GitRuntime {
  private readonly states = new Map<SharedState<unknown>, unknown>();

  constructor(
    readonly launcher: Launcher,
    readonly pool: CoProcessPool,
    readonly folders: RuntimeFolders,
    readonly limits: RuntimeLimits,
    /** Returns the kind of work of the current asynchronous context. */
    readonly currentWorkKind: () => ProcessPurpose,
    readonly lockOwners: LockOwners,
  ) {}

  /** Returns the state of this runtime, and creates it on first use. */
  shared<T>(definition: SharedState<T>): T {
    const known = this.states.get(definition);
    if (known !== undefined) return known as T;
    const created = definition.create(this.limits);
    this.states.set(definition, created);
    return created;
  }
}
