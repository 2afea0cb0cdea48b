const MAX_TITLE = 255;
/** Characters of a description or note. */
export const LONGEST_TEXT = 1024 * 1024;

/**
 * What is wrong with the title of an issue, merge request or milestone
 * (docs/reference/issues.md#the-issue-object).
 */
export function titleErrors(title: string): string[] {
  return title.trim() === '' ? ["can't be blank"] : lengthErrors(title.trim(), MAX_TITLE);
}

/** What is wrong with their description; null is none. @param maximum in characters */
export function descriptionErrors(
  description: string | null,
  maximum: number = LONGEST_TEXT,
): string[] {
  return description === null ? [] : lengthErrors(description, maximum);
}

/** The fields that something is wrong with, as the body of a refusal wants them. */
export function invalidFields(fields: Record<string, string[]>): Record<string, string[]> | null {
  const invalid = Object.entries(fields).filter(([, texts]) => texts.length > 0);
  return invalid.length === 0 ? null : Object.fromEntries(invalid);
}

function lengthErrors(text: string, maximum: number): string[] {
  // A character takes up to two units; most texts need no closer look.
  const isTooLong = text.length > maximum && [...text].length > maximum;
  return isTooLong ? [`is too long (maximum is ${String(maximum)} characters)`] : [];
}
