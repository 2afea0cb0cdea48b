import pg from 'pg';

/** A statement that is sent in a group, and the promise of its result. */
export interface GroupedStatement {
  /** The name under which the connection prepares it; null for one that is not kept. */
  readonly name: string | null;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly resolve: (result: pg.QueryResult) => void;
  readonly reject: (error: Error) => void;
}

/** What the driver's own query has beyond its published types: how it follows PostgreSQL's messages. */
interface DriverQuery extends pg.Query {
  readonly name?: string;
  readonly text: string;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: DriverConnection): void;
  handleReadyForQuery(connection: DriverConnection): void;
  handleError(error: Error, connection: DriverConnection): void;
}

interface DriverConnection extends pg.Connection {
  /** By name, the statements that the server is about to prepare. */
  readonly submittedNamedStatements: Record<string, string | undefined>;
  sync(): void;
}

/** `in_failed_sql_transaction`, which PostgreSQL answers to statements of a transaction that has failed. */
const IN_FAILED_TRANSACTION = '25P02';

/**
 * Statements of one transaction that are sent in one piece and answered in one: a pipeline of PostgreSQL's protocol
 * with a single Sync at its end. PostgreSQL skips what follows a failed statement, be it a `COMMIT`. Each statement is
 * a query of the driver, which gets the messages that are about it.
 */
export class StatementGroup implements pg.Submittable {
  private readonly queries: readonly DriverQuery[];
  /** Index of the statement that PostgreSQL's next message is about. */
  private at = 0;
  private hasFailed = false;

  /** @param onEnd called when all statements have their results */
  constructor(
    private readonly statements: readonly GroupedStatement[],
    private readonly onEnd: () => void,
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
    const unsynced = Object.create(connection, {
      sync: { value: () => undefined },
    }) as DriverConnection;
    connection.stream.cork();
    try {
      for (const query of this.queries) {
        query.submit(unsynced);
        // A value that cannot be sent. What comes after this statement must not run without it.
        if (this.hasFailed) break;
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
      if (statement.name !== null) connection.submittedNamedStatements[statement.name] = undefined;
      // Without effect on the statement that has failed, whose promise is rejected already.
      statement.reject(skipped());
    }
    this.onEnd();
  }

  private toQuery({ name, text, values, resolve, reject }: GroupedStatement): DriverQuery {
    const config = {
      ...{ text, values: [...values], queryMode: 'extended' },
      ...(name !== null && { name }),
    };
    const query = new pg.Query(config, (error: Error | null | undefined, result) => {
      if (error) {
        this.hasFailed = true;
        reject(error);
      } else {
        resolve(result);
      }
    });
    return query as DriverQuery;
  }
}

function skipped(): Error {
  const error = new Error('Not run, because a statement before it in the transaction failed');
  return Object.assign(error, { code: IN_FAILED_TRANSACTION });
}
