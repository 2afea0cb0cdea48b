/** Why an attempt failed. */
export const FAILURE_CAUSES = [
  /** The answer's status is not 2xx. */
  'status',
  /** The receiver answered 410: it wants no more. */
  'gone',
  /** No complete answer within ten seconds. */
  'timeout',
  /** The connection was refused, reset or cut. */
  'network',
  /** The name has no address. */
  'dns',
  /** The certificate or the handshake. */
  'tls',
  /** The address may not be connected to, or is none. */
  'refused',
  /** The payload could not be made. */
  'payload',
  /** The hook was disabled before the delivery's turn came. */
  'disabled',
] as const;

export type FailureCause = (typeof FAILURE_CAUSES)[number];
