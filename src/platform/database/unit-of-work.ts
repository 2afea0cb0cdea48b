import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { DataSource, type EntityManager, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { CallContext } from '../async/index.js';
import { leaveTarget } from './replicas/read-scope.js';
import { runStatement } from './run-statement.js';
import { isConnectionLost, sqlState } from './sql-state.js';
import type { TransactionPool } from './transaction-pool.js';

/**
 * The transaction that the current chain of calls runs in, if any; undefined for work outside the one
 * that is under way. Kept apart from `UnitOfWork` so that repositories find it without being handed a
 * parameter that could be forgotten.
 */
export const transactionContext = new CallContext<Transaction | undefined>();

/** The pool for statements that run outside of a unit of work with a pool of its own, but on behalf of it. */
export const detachedPool = new CallContext<TransactionPool | undefined>();

/** A transaction that is under way. */
export interface Transaction {
  /** Where its connection comes from; undefined for the shared pool. */
  readonly pool: TransactionPool | undefined;
  readonly manager: EntityManager;
  /** Runs a statement in it. */
  readonly rows: <Row>(sql: string, parameters: readonly unknown[]) => Promise<Row[]>;
  /** What is to be run before the next statement, see `Database.defer`. */
  readonly deferred: DeferredStatement<unknown>[];
  /** What is to be run right before `COMMIT`, see `Database.runAtCommit`; undefined from there on. */
  atCommit: DeferredStatement<unknown>[] | undefined;
}

/** A statement that is sent once: when it has to be, or when its result is awaited. */
export class DeferredStatement<Result> implements PromiseLike<Result> {
  readonly then: Promise<Result>['then'] = (onFulfilled, onRejected) =>
    this.send().then(onFulfilled, onRejected);
  private result: Promise<Result> | undefined;

  constructor(private readonly run: () => Promise<Result>) {}

  send(): Promise<Result> {
    if (this.result === undefined) {
      this.result = this.run();
      // The unit of work fails, whether or not the result is awaited.
      this.result.catch(() => undefined);
    }
    return this.result;
  }
}

const MAX_ATTEMPTS = 4;
const RETRY_BASE_MS = 10;
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK_DETECTED = '40P01';

export interface UnitOfWorkOptions {
  /**
   * False when the work has effects outside the database that must not happen twice; asked after a
   * failure, where it is as far as these. Default: true.
   */
  retry?: boolean | (() => boolean);
  /**
   * Where the connection comes from, also that of detached work; refused within another unit of work. Default: the shared
   * pool.
   */
  pool?: TransactionPool;
}

/**
 * One transaction per use case. It travels with the asynchronous call chain, so whatever repository
 * is called inside joins it by itself. Nested calls join the outermost unit.
 */
@Injectable()
export class UnitOfWork {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Runs `work` in a transaction and commits when it resolves. After a serialization failure, a
   * deadlock, or the loss of the connection before `COMMIT` it runs again from the start, so `work` must have no effect
   * outside the database that harms when it happens twice, unless `retry` says no.
   */
  async run<T>(work: () => Promise<T>, options: UnitOfWorkOptions = {}): Promise<T> {
    if (transactionContext.getStore() !== undefined) {
      if (options.pool !== undefined) throw new Error('A unit of work is under way already');
      return work();
    }
    leaveTarget();
    const pool = options.pool ?? detachedPool.getStore();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.attempt(work, pool);
      } catch (error) {
        const failure = error instanceof LostBeforeCommitError ? error.cause : error;
        const isRetryable = failure !== error || isRolledBack(error);
        if (attempt >= MAX_ATTEMPTS || !isRetryable || !mayRetry(options)) throw failure;
        await delay(RETRY_BASE_MS * 2 ** attempt * (0.5 + Math.random()));
      }
    }
  }

  private async attempt<T>(work: () => Promise<T>, pool: TransactionPool | undefined): Promise<T> {
    const runner = (pool ?? this.dataSource).createQueryRunner();
    const atCommit: DeferredStatement<unknown>[] = [];
    let client: ClientBase;
    // Sent at once, so that statements keep the order of the code.
    const rows = async <Row>(sql: string, parameters: readonly unknown[]): Promise<Row[]> => {
      if (runner.isReleased) throw new QueryRunnerAlreadyReleasedError();
      return runStatement(client, sql, parameters);
    };
    const { manager } = runner;
    const transaction: Transaction = { pool, manager, rows, deferred: [], atCommit };
    try {
      client = (await runner.connect()) as ClientBase;
      await runner.startTransaction();
      const result = await transactionContext.run(transaction, work);
      transaction.atCommit = undefined;
      // In one turn, so that they are sent together.
      await Promise.all([
        ...atCommit.map((statement) => statement.send()),
        runner.commitTransaction(),
      ]);
      return result;
    } catch (error) {
      // The connection may be broken; what failed first says more.
      await runner.rollbackTransaction().catch(() => undefined);
      const isCommitUnsent = transaction.atCommit !== undefined;
      throw isCommitUnsent && isConnectionLost(error) ? new LostBeforeCommitError(error) : error;
    } finally {
      await runner.release();
    }
  }

  /** Runs `work` outside the current unit: its statements commit at once, whatever happens to it. */
  detached<T>(work: () => Promise<T>): Promise<T> {
    const pool = transactionContext.getStore()?.pool ?? detachedPool.getStore();
    const runDetached = () => transactionContext.run(undefined, work);
    return pool === undefined ? runDetached() : detachedPool.run(pool, runDetached);
  }
}

function mayRetry({ retry = true }: UnitOfWorkOptions): boolean {
  return typeof retry === 'function' ? retry() : retry;
}

/** The connection was lost before `COMMIT` was sent, so nothing was committed. */
class LostBeforeCommitError extends Error {
  constructor(cause: unknown) {
    super('The connection was lost before the commit', { cause });
  }
}

/** Whether PostgreSQL has rolled a transaction back that may succeed the next time. */
function isRolledBack(error: unknown): boolean {
  const state = sqlState(error);
  return state === SERIALIZATION_FAILURE || state === DEADLOCK_DETECTED;
}
