import pg from 'pg';
import {
  type DriverConnection,
  type DriverQuery,
  forgetStatement,
  withoutSync,
} from './pg-internals.js';

/** A statement that is sent in a group, and the promise of its result. */
export interface GroupedStatement {
  /** The name under which the connection prepares it; null for one that is not kept. */
  readonly name: string | null;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly resolve: (result: pg.QueryResult) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Statements of one transaction that are sent in one piece and answered in one: a pipeline of PostgreSQL's protocol
 * with a single Sync at its end. PostgreSQL skips what follows a failed statement, be it a `COMMIT`. Each statement is
 * a query of the driver, which gets the messages that are about it.
 */
export class StatementGroup implements pg.Submittable {
  private readonly queries: readonly DriverQuery[];
  /** Index of the statement that PostgreSQL's next message is about. */
  private at = 0;
  /** Why a statement failed, and those after it were not run. */
  private failure: Error | undefined;

  constructor(
    private readonly statements: readonly GroupedStatement[],
    private readonly followed: {
      /** Called when all statements have their results. */
      onEnd: () => void;
      /** Called with the reason why a statement cannot be sent. PostgreSQL's transaction has not failed then. */
      onUnsent: (reason: Error) => void;
    },
  ) {
    this.queries = statements.map((statement) => this.toQuery(statement));
  }

  // The driver keeps book of prepared statements by these two.
  get name(): string | undefined {
    return this.queries[this.at]?.name;
  }

  get text(): string | undefined {
    return this.queries[this.at]?.text;
  }

  readonly submit = (given: pg.Connection): null => {
    const connection = given as DriverConnection;
    const unsynced = withoutSync(connection);
    connection.stream.cork();
    try {
      for (const query of this.queries) {
        query.submit(unsynced);
        if (this.failure === undefined) continue;
        // What comes after this statement must not run without it.
        this.followed.onUnsent(this.failure);
        break;
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
    return null;
  };

  handleRowDescription(message: unknown): void {
    this.queries[this.at]?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.queries[this.at]?.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: DriverConnection): void {
    this.queries[this.at]?.handleCommandComplete(message, connection);
    this.at += 1;
  }

  handleReadyForQuery(connection: DriverConnection): void {
    this.settle(connection);
  }

  /** Called instead of `handleReadyForQuery` when PostgreSQL reports an error, or the connection breaks. */
  handleError(error: Error, connection: DriverConnection): void {
    this.queries[this.at]?.handleError(error, connection);
    this.settle(connection);
  }

  private settle(connection: DriverConnection): void {
    for (const query of this.queries.slice(0, this.at)) query.handleReadyForQuery(connection);
    for (const [index, statement] of this.statements.entries()) {
      if (index < this.at) continue;
      if (statement.name !== null) forgetStatement(connection, statement.name);
      // Whichever of them the caller looks at, what failed says more than that it was not run.
      statement.reject(this.failure ?? new Error('Not run'));
    }
    this.followed.onEnd();
  }

  private toQuery({ name, text, values, resolve, reject }: GroupedStatement): DriverQuery {
    const config = {
      text,
      values: [...values],
      queryMode: 'extended',
      ...(name !== null && { name }),
    };
    const query = new pg.Query(config, (error: Error | null | undefined, result) => {
      if (error) {
        this.failure ??= error;
        reject(error);
      } else {
        resolve(result);
      }
    });
    return query as DriverQuery;
  }
}
