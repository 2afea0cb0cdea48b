import type { ErrorDetail } from './error-detail.js';

/**
 * A refusal. Its meaning lies in `detail` alone; how it is answered over HTTP is decided in one table
 * of the HTTP platform.
 */
export class DomainError extends Error {
  constructor(readonly detail: ErrorDetail) {
    super(describe(detail));
    this.name = 'DomainError';
  }
}

// The message is for logs and test reports; no client sees it.
function describe({ code, ...rest }: ErrorDetail): string {
  return Object.keys(rest).length === 0 ? code : `${code} ${JSON.stringify(rest)}`;
}
