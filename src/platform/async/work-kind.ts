import { CallContext } from './call-context.js';

/**
 * What work is done for: an answer that a client waits for, a push (and what follows it before it is
 * answered), or a job. Each kind has its own share of what is scarce, such as git processes.
 */
export type WorkKind = 'interactive' | 'push' | 'background';

const kinds = new CallContext<WorkKind>();

/** Runs work of a kind; within it, work of another kind may be run as that. */
export function runAs<T>(kind: WorkKind, work: () => Promise<T>): Promise<T> {
  return kinds.run(kind, work);
}

/** The kind that the current chain of calls runs as; `interactive` unless it was run as another. */
export function currentWorkKind(): WorkKind {
  return kinds.getStore() ?? 'interactive';
}
