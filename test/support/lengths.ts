/** The two lengths of a test that could go on for ever. */
export interface Lengths<T> {
  /** In `npm test`. */
  brief: T;
  /** In `npm run campaign`, which sets `TEST_LENGTH`. */
  campaign: T;
}

export function lengthOf<T>({ brief, campaign }: Lengths<T>): T {
  return process.env['TEST_LENGTH'] === 'campaign' ? campaign : brief;
}

/**
 * The seed of a random test: `TEST_SEED`, or the fixed one. A title names it, so that a failure can be
 * repeated.
 */
export function seedOf(fixed: number): number {
  const { TEST_SEED: text = '' } = process.env;
  if (text === '') return fixed;
  const seed = Number(text);
  if (!Number.isSafeInteger(seed)) throw new Error(`TEST_SEED="${text}" is not an integer`);
  return seed;
}

/** Whether the seed is the fixed one, whose round has every kind of outcome. With another one, any may be missing. */
export function isSeedFixed(): boolean {
  return (process.env['TEST_SEED'] ?? '') === '';
}
