/** Values that may be left out. */
export type Changes<Values> = { [Field in keyof Values]?: Values[Field] | undefined };

/** The fields that are to be changed: those that are not given are left out. */
export function given<Values extends object>(changes: Changes<Values>): Partial<Values> {
  const entries = Object.entries(changes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<Values>;
}
