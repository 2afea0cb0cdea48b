const NODE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

// Connection exceptions, insufficient resources, and the statements an operator or a limit cut short.
const SQL_STATES = /^(?:08...|53...|57014|57P0[1-5])$/;

// pg and its pool say these without a code.
const TEXTS =
  /^(?:timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error)/;

const MAX_DEPTH = 4;

/**
 * Whether a failure means that the database or the queue does not answer, now, rather than that the
 * code is wrong: the caller may try again. Wrapped errors are looked into.
 */
export function isStoreTrouble(failure: unknown, depth = 0): boolean {
  if (typeof failure !== 'object' || failure === null || depth > MAX_DEPTH) return false;
  const { code, message, cause, driverError, errors } = failure as Record<string, unknown>;
  if (typeof code === 'string' && (NODE_CODES.has(code) || SQL_STATES.test(code))) return true;
  if (typeof message === 'string' && TEXTS.test(message)) return true;
  const inner = [cause, driverError, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
  return inner.some((wrapped) => isStoreTrouble(wrapped, depth + 1));
}
