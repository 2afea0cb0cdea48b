/** A text that PostgreSQL takes: its own hold no NUL, which is shown as what cannot be shown. */
export const withoutNul = (text: string): string => text.replaceAll('\0', '\uFFFD');
