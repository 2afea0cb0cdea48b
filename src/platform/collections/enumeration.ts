const ENUMERATION = new Intl.ListFormat('en', { type: 'conjunction' });

/** Joins names for a sentence: `a`, `a and b`, `a, b, and c`. */
export const enumeration = (names: readonly string[]): string => ENUMERATION.format(names);
