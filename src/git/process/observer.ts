import type { ProcessPurpose } from './process-scheduler.js';

/** A fetch, push or archive of a client, or a part of one: over HTTP a fetch takes several requests. */
export interface Conversation {
  readonly service: 'upload-pack' | 'receive-pack' | 'upload-archive';
  /** Over HTTP requests are independent, over SSH they are not. */
  readonly isStateless: boolean;
  /** What it completed; null for a part that sent no objects either way. A clone is a fetch by a client that has nothing. */
  readonly operation: 'clone' | 'fetch' | 'push' | 'archive' | null;
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

/** A budget of conversations that a client has exceeded. */
export type ClientBudget =
  | 'fetch_memory'
  | 'fetch_request'
  | 'git_client_rate'
  | 'push_memory'
  | 'push_objects'
  | 'push_request'
  | 'push_time'
  | 'reader_memory';

/** Called when what was observed has ended. */
type OnEnd = (failure?: Error) => void;

/** Follows what git costs, for metrics and traces. Its methods are called often, and must not throw. */
export interface GitObserver {
  /** A process starts. Long-lived ones answer the requests of several callers. */
  started(command: string, isLongLived: boolean): OnEnd;
  /** A long-lived process is asked for something. */
  asked(command: string): OnEnd | undefined;
  /** A command may start, after waiting for others. */
  admitted(kind: ProcessPurpose, waitedMs: number): void;
  conversed(conversation: Conversation): void;
  exceeded(budget: ClientBudget): void;
}

const ignore = (): void => undefined;

export const NO_OBSERVER: GitObserver = {
  started: () => ignore,
  asked: () => undefined,
  admitted: ignore,
  conversed: ignore,
  exceeded: ignore,
};
