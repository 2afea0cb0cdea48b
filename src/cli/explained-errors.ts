import { BackupError } from '../backup/errors.js';
import { GitUnavailableError } from '../git/index.js';
import { ConfigError } from '../platform/config/index.js';
import { DataDirInUseError, EmbeddedPostgresError } from '../platform/database/embedded/index.js';
import { DomainError, type FieldTexts } from '../platform/errors/index.js';
import { WrongKeyError } from '../platform/secrets/index.js';
import { CommandError, UsageError } from './errors.js';
import { PendingMigrationsError } from '../roles/migrate.js';
import { IncompleteRestoreError } from '../roles/restore-marker.js';

/** Errors that the operator can mend. */
const EXPLAINED = [
  BackupError,
  CommandError,
  ConfigError,
  DataDirInUseError,
  EmbeddedPostgresError,
  GitUnavailableError,
  IncompleteRestoreError,
  PendingMigrationsError,
  UsageError,
  WrongKeyError,
];

/** Explains an error that the operator can mend. @returns undefined for any other */
export function explanationOf(error: unknown): string | undefined {
  if (error instanceof DomainError) return explainRefusal(error);
  const isExplained = EXPLAINED.some((kind) => error instanceof kind);
  return isExplained ? (error as Error).message : undefined;
}

/** Words a refusal as the API does, without its status. */
function explainRefusal({ detail }: DomainError): string {
  if (detail.code === 'invalid-record') return describeFields(detail.fields);
  if (detail.code === 'not-found') return `${detail.resource} not found`;
  if ('text' in detail) return detail.text ?? detail.code;
  if ('reason' in detail && typeof detail.reason === 'string') return detail.reason;
  return detail.code.replaceAll('-', ' ');
}

const describeFields = (fields: FieldTexts): string =>
  Object.entries(fields)
    .flatMap(([field, texts]) => texts.map((text) => `${field} ${text}`))
    .join('\n');

export const isUsageError = (error: unknown): boolean =>
  error instanceof UsageError || error instanceof ConfigError;
