import { BackupError } from '../backup/errors.js';
import { GitUnavailableError } from '../git/index.js';
import { ConfigError } from '../platform/config/index.js';
import { DataDirInUseError, EmbeddedPostgresError } from '../platform/database/embedded/index.js';
import { ForeignReplicaError } from '../platform/database/connections/index.js';
import { DomainError } from '../platform/errors/index.js';
import { WrongKeyError } from '../platform/secrets/index.js';
import { CommandError, UsageError } from './errors.js';
import { refusalTexts } from './refusal-texts.js';
import { PendingMigrationsError } from '../bootstrap/pending-migrations.js';
import { IncompleteRestoreError } from '../bootstrap/restore-marker.js';

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
  if (typeof error !== 'object' || error === null) return undefined;
  const isExplained = EXPLAINED.some((kind) => error instanceof kind);
  return isExplained ? (error as Error).message : describeListenError(error);
}

/** What Node adds to the error of a system call of the network. */
type NetworkError = Partial<Record<'code' | 'syscall' | 'address' | 'port' | 'hostname', unknown>>;

/** Explains why a port cannot be opened; undefined for any other error. */
function describeListenError(error: NetworkError): string | undefined {
  const { code, syscall, hostname } = error;
  const [address, port] = [String(error.address), String(error.port)];
  if (syscall === 'getaddrinfo')
    return `There is no host ${String(hostname)}: correct the setting that names it.`;
  if (syscall !== 'listen') return undefined;
  switch (code) {
    case 'EADDRINUSE':
      return `Another program listens on port ${port} of ${address}: end it, or set PORT or SSH_PORT to another port.`;
    case 'EADDRNOTAVAIL':
      return `This machine has no address ${address}: set HOST to one that it has, or to 0.0.0.0 for all.`;
    case 'EACCES':
      return `The account of the service may not listen on port ${port} of ${address}: set PORT or SSH_PORT to a port above 1023.`;
    default:
      return undefined;
  }
}

export const isUsageError = (error: unknown): boolean =>
  error instanceof UsageError || error instanceof ConfigError;
