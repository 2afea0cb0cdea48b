import { Injectable } from '@nestjs/common';
import {
  DataSource,
  type EntityManager,
  type EntityTarget,
  type ObjectLiteral,
  type Repository,
} from 'typeorm';
import { repeatedReads } from '../metrics/index.js';
import { EntityColumns } from './entity-columns.js';
import {
  leaveTarget,
  type ReadStatement,
  type ReadTarget,
  readTarget,
} from './replicas/read-scope.js';
import { runStatement } from './run-statement.js';
import { sqlState } from './sql-state.js';
import { INDEX_ORDER, type Statements } from './statements.js';
import { poolOf } from './typeorm-internals.js';
import {
  DeferredStatement,
  detachedPool,
  type Transaction,
  transactionContext,
} from './unit-of-work.js';

interface ConnectionCounts {
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

/** What may be sent to a standby. Of the rest that a standby refuses the primary is asked. */
const IS_READ = /^\s*(?:SELECT|WITH)\b/i;
const QUERY_CANCELED = '57014';

/**
 * The way repositories reach PostgreSQL: inside a unit of work every statement joins its
 * transaction, outside it takes a connection of the pool for itself. Requests that read from a standby send their statements
 * there, but not what TypeORM makes of entities.
 */
@Injectable()
export class Database implements Statements {
  private readonly known = new Map<EntityTarget<ObjectLiteral>, EntityColumns<ObjectLiteral>>();

  constructor(private readonly dataSource: DataSource) {}

  get manager(): EntityManager {
    const transaction = transactionContext.getStore();
    if (transaction === undefined) return this.dataSource.manager;
    void sendDeferred(transaction);
    return transaction.manager;
  }

  of<Entity extends ObjectLiteral>(target: EntityTarget<Entity>): Repository<Entity> {
    return this.manager.getRepository(target);
  }

  /** The columns of an entity, for statements that read it without the query builder. */
  columns<Entity extends ObjectLiteral>(target: EntityTarget<Entity>): EntityColumns<Entity> {
    const columns =
      this.known.get(target) ?? new EntityColumns<Entity>(this.dataSource.getMetadata(target));
    this.known.set(target, columns);
    return columns as EntityColumns<Entity>;
  }

  /**
   * Reads entities by a statement that goes on after their columns: `FROM users u WHERE u.id = $1`.
   * @param alias of the entity's table in it
   */
  async entities<Entity extends ObjectLiteral>(
    target: EntityTarget<Entity>,
    alias: string,
    from: string,
    parameters: readonly unknown[],
  ): Promise<Entity[]> {
    const columns = this.columns(target);
    const sql = `SELECT ${columns.list(alias)} ${from}`;
    const rows = await this.rows<Record<string, unknown>>(sql, parameters);
    return rows.map((row) => columns.read(row));
  }

  /**
   * Runs a statement right before the `COMMIT` of the unit of work, in the same round trip: one whose rows nobody
   * needs, and which locks what others wait for. Outside a unit of work it runs at once.
   */
  async runAtCommit(sql: string, parameters: readonly unknown[]): Promise<void> {
    if (transactionContext.getStore() === undefined) await this.rows(sql, parameters);
    else this.leave(sql, parameters, () => undefined);
  }

  /**
   * Runs a statement of the unit of work when its result is awaited, before the next statement, or else with `COMMIT`: one
   * that locks what others wait for. The result may be awaited after the unit of work, too.
   * @param read makes the result of the rows
   */
  defer<Row, Result>(
    sql: string,
    parameters: readonly unknown[],
    read: (rows: Row[]) => Result,
  ): PromiseLike<Result> {
    const statement = this.leave(sql, parameters, read);
    transactionContext.getStore()?.deferred.push(statement);
    return statement;
  }

  /** Leaves a statement for the `COMMIT` of the unit of work. */
  private leave<Row, Result>(
    sql: string,
    parameters: readonly unknown[],
    read: (rows: Row[]) => Result,
  ): DeferredStatement<Result> {
    const { atCommit, rows } = transactionContext.getStore() ?? {};
    if (atCommit === undefined || rows === undefined)
      throw new Error('No unit of work is under way');
    const statement = new DeferredStatement(async () => read(await rows<Row>(sql, parameters)));
    atCommit.push(statement);
    return statement;
  }

  /** Returns how many connections of the pool are used and idle, and how many statements or units of work wait for one. */
  connectionCounts(): ConnectionCounts {
    const { totalCount, idleCount, waitingCount } = poolOf(this.dataSource);
    return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  /**
   * As `rows`, for a statement that reads its tables in the order of an index. PostgreSQL does so even where it expects that
   * reading and sorting all of them costs less, which would cost the more the larger they are. Not within a unit of work.
   */
  async rowsInIndexOrder<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const target = readTarget();
    if (target !== undefined) {
      return this.readFrom<Row>(target, { sql, parameters, settings: INDEX_ORDER }, () =>
        this.rowsInIndexOrder(sql, parameters),
      );
    }
    return this.dataSource.manager.transaction('READ COMMITTED', async (manager) => {
      await manager.query(INDEX_ORDER);
      return manager.query<Row[]>(sql, [...parameters]);
    });
  }

  /** Runs one statement with positional parameters (`$1`, …) and answers its rows. */
  async rows<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const transaction = transactionContext.getStore();
    if (transaction !== undefined) {
      // They are sent together. What fails first says more.
      const sent = sendDeferred(transaction);
      const rows = transaction.rows<Row>(sql, parameters);
      if (sent.length > 0) await Promise.all([...sent, rows]);
      return rows;
    }
    const target = readTarget();
    if (target !== undefined) {
      if (IS_READ.test(sql)) {
        return this.readFrom<Row>(target, { sql, parameters }, () => this.rows(sql, parameters));
      }
      leaveTarget();
    }
    const client = await (detachedPool.getStore() ?? poolOf(this.dataSource)).connect();
    try {
      return await runStatement(client, sql, parameters);
    } finally {
      // The pool ends one that was lost.
      client.release();
    }
  }

  /** Reads from a standby, and from the primary if that fails: it ends, or what it replays is in conflict with the statement. */
  private async readFrom<Row>(
    target: ReadTarget,
    statement: ReadStatement,
    repeat: () => Promise<Row[]>,
  ): Promise<Row[]> {
    try {
      return await target.read<Row>(statement);
    } catch (error) {
      // It took too long, and would again.
      if (sqlState(error) === QUERY_CANCELED) throw error;
      repeatedReads.inc();
      leaveTarget();
      return repeat();
    }
  }
}

/** Sends what was deferred to the next statement. */
const sendDeferred = ({ deferred }: Transaction): Promise<unknown>[] =>
  deferred.splice(0).map((statement) => statement.send());
