const KEPT = ['code', 'constraint', 'table', 'column', 'routine', 'status'] as const;
const MAX_CAUSES = 4;

/**
 * An error as it is logged: what it is and where it came from. A failed statement's parameters and the
 * values that the database quotes are left out, they may be secrets.
 */
export function serializeError(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const properties = error as Error & Record<string, unknown>;
  const kept = KEPT.flatMap((name) =>
    typeof properties[name] === 'string' || typeof properties[name] === 'number'
      ? [[name, properties[name]] as const]
      : [],
  );
  const cause = error.cause ?? properties['driverError'];
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...Object.fromEntries(kept),
    ...(cause === undefined || depth >= MAX_CAUSES
      ? {}
      : { cause: serializeError(cause, depth + 1) }),
  };
}
