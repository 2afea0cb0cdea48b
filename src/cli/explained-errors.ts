import { GitUnavailableError } from '../git/index.js';
import { ConfigError } from '../platform/config/index.js';
import { DataDirInUseError, EmbeddedPostgresError } from '../platform/database/embedded/index.js';
import { WrongKeyError } from '../platform/secrets/index.js';
import { CommandError, UsageError } from './errors.js';
import { PendingMigrationsError } from '../roles/migrate.js';

/** Errors that the operator can mend. */
const EXPLAINED = [
  CommandError,
  ConfigError,
  DataDirInUseError,
  EmbeddedPostgresError,
  GitUnavailableError,
  PendingMigrationsError,
  UsageError,
  WrongKeyError,
];

export const isExplained = (error: unknown): error is Error =>
  EXPLAINED.some((kind) => error instanceof kind);

export const isUsageError = (error: unknown): boolean =>
  error instanceof UsageError || error instanceof ConfigError;
