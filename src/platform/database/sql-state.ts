import { QueryFailedError } from 'typeorm';

const UNIQUE_VIOLATION = '23505';

interface PostgresError {
  code?: string;
  constraint?: string;
}

/** The five-character SQLSTATE of a failed statement, undefined for any other error. */
export function sqlState(error: unknown): string | undefined {
  return postgresError(error)?.code;
}

/** The name of the unique constraint or index that a statement ran into, if that is what failed. */
export function violatedUnique(error: unknown): string | undefined {
  const cause = postgresError(error);
  return cause?.code === UNIQUE_VIOLATION ? cause.constraint : undefined;
}

function postgresError(error: unknown): PostgresError | undefined {
  return error instanceof QueryFailedError ? (error.driverError as PostgresError) : undefined;
}
