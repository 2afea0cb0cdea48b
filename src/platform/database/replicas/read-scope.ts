import { CallContext } from '../../async/index.js';

/** A statement that only reads. */
export interface ReadStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Statements to be run before it, in a transaction of both. */
  readonly settings?: string;
}

/** A standby which has what a request has to see. */
export interface ReadTarget {
  /** @throws QueryFailedError, or Error when no connection leads to that server any more */
  read<Row>(statement: ReadStatement): Promise<Row[]>;
}

/** From where the current chain of calls reads. */
interface ReadScope {
  /** Undefined is the primary. */
  target: ReadTarget | undefined;
}

const scopes = new CallContext<ReadScope>();

/** Returns the standby that answers reads of the current chain of calls; undefined is the primary. */
export const readTarget = (): ReadTarget | undefined => scopes.getStore()?.target;

/** Runs work that reads from a standby, or from the primary, until it has the primary do anything. */
export function runOnTarget<T>(target: ReadTarget | undefined, work: () => Promise<T>): Promise<T> {
  return target === readTarget() ? work() : scopes.run({ target }, work);
}

/**
 * Has the current chain of calls read from the primary from now on: it has written, and has to see that, or its standby
 * has failed.
 */
export function leaveTarget(): void {
  const scope = scopes.getStore();
  if (scope !== undefined) scope.target = undefined;
}
