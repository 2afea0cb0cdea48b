import pg from 'pg';

// What is used of the driver (pg) beyond its published types. When an upgrade changes it, preparing-client.spec.ts,
// transaction-pipeline.spec.ts or failover-client.spec.ts in test/unit/platform fails.

/** What the driver's own query has beyond its published types: how it follows PostgreSQL's messages. */
export interface DriverQuery extends pg.Query {
  readonly name?: string;
  readonly text: string;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: DriverConnection): void;
  handleReadyForQuery(connection: DriverConnection): void;
  handleError(error: Error, connection: DriverConnection): void;
}

export interface DriverConnection extends pg.Connection {
  /** By name, the statements that the server is about to prepare. */
  readonly submittedNamedStatements: Record<string, string | undefined>;
  sync(): void;
}

/** A connection on which queries end without a Sync of their own. */
export const withoutSync = (connection: DriverConnection): DriverConnection =>
  Object.create(connection, {
    sync: { value: () => undefined },
    // The driver closes the statement of a value that it cannot send, and goes on to take it for prepared.
    close: { value: () => undefined },
  }) as DriverConnection;

/** Makes the driver forget a statement that the server was to prepare and has not. */
export function forgetStatement(connection: DriverConnection, name: string): void {
  connection.submittedNamedStatements[name] = undefined;
}

/** What the driver's client has beyond its published types. */
export interface DriverClient extends pg.Client {
  /** The parameters that a session begins with. */
  getStartupConf(): Record<string, string>;
  /** False while a statement waits for its result. */
  readonly readyForQuery?: boolean;
}

export const DriverClient = pg.Client as unknown as new (config: pg.ClientConfig) => DriverClient;
