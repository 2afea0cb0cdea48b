interface Typed {
  readonly type: string;
}

/**
 * Returns what rooms provide, by its type.
 * @param conflict says what is wrong where two have the same type
 * @throws Error in that case: the process does not start
 */
export function byType<Provided extends Typed>(
  all: readonly Provided[],
  conflict: string,
): ReadonlyMap<Provided['type'], Provided> {
  const found = new Map(all.map((one) => [one.type, one]));
  if (found.size < all.length) throw new Error(conflict);
  return found;
}
