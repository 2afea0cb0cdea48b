import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';

const UNIQUE_VIOLATION = '23505';

interface PostgresError {
  code?: string;
  constraint?: string;
}

/** The five-character SQLSTATE of a failed statement, undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  return postgresError(error)?.code;
}

/** Connections that could not be made or ended, a server that ends, and one that takes no writes any more. */
const CONNECTION_STATES = /^(?:08...|57P0[1-3]|25006)$/;
const SOCKET_CODES = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT']);
/** The driver says these without a code. */
const DRIVER_TEXTS =
  /^(?:Connection terminated|Client was closed|Client has encountered a connection error)/;

/** Whether a statement failed since the connection was lost, or since its server is no primary any more. */
export function isConnectionLost(error: unknown): boolean {
  // TypeORM releases a connection that breaks between two statements of a transaction.
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  if (error instanceof QueryRunnerProviderAlreadyReleasedError) return true;
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (!(cause instanceof Error)) return false;
  const { code = '', message } = cause as Error & PostgresError;
  return CONNECTION_STATES.test(code) || SOCKET_CODES.has(code) || DRIVER_TEXTS.test(message);
}

/** The name of the unique constraint or index that a statement ran into, if that is what failed. */
export function violatedUnique(error: unknown): string | undefined {
  const cause = postgresError(error);
  return cause?.code === UNIQUE_VIOLATION ? cause.constraint : undefined;
}

function postgresError(error: unknown): PostgresError | undefined {
  return error instanceof QueryFailedError ? (error.driverError as PostgresError) : undefined;
}
