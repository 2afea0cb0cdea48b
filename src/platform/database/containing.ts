/** A pattern for LIKE and ILIKE that finds the text anywhere; wildcards in it are taken literally. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
