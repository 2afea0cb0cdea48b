import { CallContext } from './call-context.js';

/** What is counted while a chain of calls runs. */
interface CallCounts {
  /** Statements that were sent for it, those that it shares with others included. */
  statements: number;
}

/** A chain of calls that is followed: a request, a command over SSH, a job or a part of one. */
export interface CallScope<Span = unknown> {
  readonly counts: CallCounts;
  /** The span that new ones are children of, where the chain is traced. */
  readonly span: Span | undefined;
}

const scopes = new CallContext<CallScope | undefined>();

/** The scope of the current chain of calls; undefined if it is not followed. */
export const currentScope = (): CallScope | undefined => scopes.getStore();

/** Runs work that the scope follows; without one, nothing follows it. */
export function runInScope<T>(scope: CallScope | undefined, work: () => Promise<T>): Promise<T> {
  return scope === currentScope() ? work() : scopes.run(scope, work);
}

/**
 * Runs work for several chains of calls: the statements count for each of them, and the spans belong to the first that
 * is traced.
 */
export function runForScopes<T>(
  followed: readonly CallScope[],
  work: () => Promise<T>,
): Promise<T> {
  if (followed.length === 0) return runInScope(undefined, work);
  const span = followed.find((scope) => scope.span !== undefined)?.span;
  const counts = { statements: 0 };
  return runInScope({ counts, span }, work).finally(() => {
    for (const scope of followed) scope.counts.statements += counts.statements;
  });
}
