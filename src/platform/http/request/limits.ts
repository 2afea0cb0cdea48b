const MIB = 1024 * 1024;

/** The largest body in bytes that is read for its parameters. */
export const MAX_BODY_BYTES = 20 * MIB;

/**
 * How much of a refused body is still read and dropped in bytes. A client that sends first and listens
 * later would otherwise see a broken connection instead of the refusal.
 */
export const MAX_DISCARDED_BYTES = 44 * MIB;

/** How long a client may take to send a body that is read for its parameters. */
export const BODY_DEADLINE_MS = 10 * 60_000;

/** The most names a query string or form may bring. */
export const MAX_FORM_FIELDS = 10_000;

/** How deep values may be nested, in JSON as in form fields. */
export const MAX_DEPTH = 16;
