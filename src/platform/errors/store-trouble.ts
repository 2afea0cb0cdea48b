import { unavailable } from './factories.js';
import type { DomainError } from './domain-error.js';
import { fileErrorText } from './file-error-text.js';

const NODE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // The disk is full, cannot be written to or fails; files belong to another account; too many are open.
  ...['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE'],
  // A file system that machines share has lost its server, or shows a file that another machine has replaced: ESTALE, for
  // which Node has no name.
  ...[
    'ENOTCONN',
    'ECONNABORTED',
    'ESHUTDOWN',
    'EREMOTEIO',
    'EHOSTDOWN',
    'Unknown system error -116',
  ],
]);

// Connection exceptions, a server that takes no writes, insufficient resources, and the statements an operator or a limit
// cut short.
const SQL_STATES = /^(?:08...|25006|53...|57014|57P0[1-5])$/;

// pg and its pool say these without a code, and TypeORM those about a query runner whose connection has broken.
const TEXTS = new RegExp(
  [
    '^timeout exceeded when trying to connect',
    '^Connection terminated',
    '^Client was closed',
    '^Client has encountered a connection error',
    '^Query runner already released',
    '^Database connection provided by a query runner was already released',
  ].join('|'),
);

/** After so long a store that is restarted, or replaced by its standby, is mostly back. */
export const STORE_RETRY_SECONDS = 5;

/** The SQL state of a server whose disk is full. */
const DISK_FULL = '53100';

const MAX_DEPTH = 4;

/**
 * Whether a failure means that the database, the queue or the disk is unavailable at the moment, so that the caller may
 * try again, and not that the code is wrong. Checks wrapped errors, too.
 */
export const isStoreTrouble = (failure: unknown): boolean =>
  unwrap(failure).some(
    ({ code, message }) =>
      (typeof code === 'string' && (NODE_CODES.has(code) || SQL_STATES.test(code))) ||
      (typeof message === 'string' && TEXTS.test(message)),
  );

/** Returns the refusal of a failure that means so, with what an operator has to mend; undefined for other failures. */
export const storeRefusal = (failure: unknown): DomainError | undefined =>
  isStoreTrouble(failure) ? unavailable(STORE_RETRY_SECONDS, reasonOf(failure)) : undefined;

/** Words what an operator has to mend. @returns undefined if it may pass by itself */
function reasonOf(failure: unknown): string | undefined {
  const codes = unwrap(failure).map(({ code }) => (code === DISK_FULL ? 'ENOSPC' : code));
  return codes.map(fileErrorText).find((text) => text !== undefined);
}

/** Lists a failure and those that it wraps. */
function unwrap(failure: unknown, depth = 0): Record<string, unknown>[] {
  if (typeof failure !== 'object' || failure === null || depth > MAX_DEPTH) return [];
  const found = failure as Record<string, unknown>;
  const { cause, driverError, errors } = found;
  const inner = [cause, driverError, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
  return [found, ...inner.flatMap((wrapped) => unwrap(wrapped, depth + 1))];
}
