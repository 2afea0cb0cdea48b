/** What forms of the console lead to, by the name that the address of the next page has. */
const NOTICES = {
  'job-retried': 'The job runs again, with all its attempts.',
  'job-removed': 'The job was removed.',
  'job-changed': 'Nothing was done: the job has run, or was changed, in the meantime.',
  'delivery-repeated': 'The delivery is on its way once more.',
  'delivery-changed': 'Nothing was done: the delivery was attempted or repeated in the meantime.',
} as const;

export type Notice = keyof typeof NOTICES;

const UNDONE: ReadonlySet<string> = new Set(['job-changed', 'delivery-changed']);

/** Undefined for other names: an address may contain any. */
export function noticeText(
  name: string | undefined,
): { text: string; isGood: boolean } | undefined {
  if (name === undefined || !Object.hasOwn(NOTICES, name)) return undefined;
  return { text: NOTICES[name as Notice], isGood: !UNDONE.has(name) };
}
