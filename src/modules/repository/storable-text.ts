/** As much of a text of git's as is kept, without what the database refuses. */
export function storable(text: string, maxLength: number): string {
  const half = /[\uD800-\uDBFF]$/;
  const whole = text.length > maxLength ? text.slice(0, maxLength).replace(half, '') : text;
  return whole.replaceAll('\0', '');
}
