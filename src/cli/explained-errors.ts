import { BackupError } from '../backup/errors.js';
import { GitUnavailableError } from '../git/index.js';
import { ConfigError } from '../platform/config/index.js';
import { DataDirInUseError, EmbeddedPostgresError } from '../platform/database/embedded/index.js';
import { ForeignReplicaError } from '../platform/database/connections/index.js';
import { DomainError } from '../platform/errors/index.js';
import { WrongKeyError } from '../platform/secrets/index.js';
import { CommandError, UsageError } from './errors.js';
import { refusalTexts } from './refusal-texts.js';
import { PendingMigrationsError } from '../roles/pending-migrations.js';
import { IncompleteRestoreError } from '../roles/restore-marker.js';

/** Errors that the operator can mend. */
const EXPLAINED = [
  BackupError,
  CommandError,
  ConfigError,
  DataDirInUseError,
  EmbeddedPostgresError,
  ForeignReplicaError,
  GitUnavailableError,
  IncompleteRestoreError,
  PendingMigrationsError,
  UsageError,
  WrongKeyError,
];

/** Explains an error that the operator can mend. @returns undefined for any other */
export function explanationOf(error: unknown): string | undefined {
  if (error instanceof DomainError) return refusalTexts(error).join('\n');
  if (isPortTaken(error)) {
    return `Another program listens on port ${error.port} of ${error.address}: end it, or set PORT or SSH_PORT to another port.`;
  }
  const isExplained = EXPLAINED.some((kind) => error instanceof kind);
  return isExplained ? (error as Error).message : undefined;
}

const isPortTaken = (error: unknown): error is { address: string; port: number } =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'EADDRINUSE';

export const isUsageError = (error: unknown): boolean =>
  error instanceof UsageError || error instanceof ConfigError;
