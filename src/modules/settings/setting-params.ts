/** Options of settings' parameters: `null` and `""` reset a field whose default is null or empty. */
export const CLEARABLE = { nullable: true, emptyClears: true };
/** Bounded, because every look-up of the settings reads it. */
export const TEXT = { ...CLEARABLE, maxLength: 65_536 };
export const URL_TEXT = { ...CLEARABLE, maxLength: 2048 };
export const DOMAINS = { ...CLEARABLE, separator: /[\s,;]+/ };
