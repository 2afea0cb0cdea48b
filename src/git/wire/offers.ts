/**
 * The capabilities that a push may ask for: what git offers with the settings of every process
 * (docs/decisions/0032-bounded-git.md). Git takes more than it offers. A test compares the list with the advertisement of
 * the installed git.
 */
export const OFFERED = {
  push: [
    'report-status',
    'report-status-v2',
    'delete-refs',
    'side-band-64k',
    'quiet',
    'atomic',
    'ofs-delta',
    'push-options',
    'object-format',
    'agent',
  ],
} as const;

/** What separates capabilities for git. */
const SPACE = /[ \t\n\v\f\r]/;

/** Returns the names in a list of capabilities, without their values. */
export function namesOf(capabilities: string): string[] {
  const words = capabilities.split(SPACE).filter((word) => word !== '');
  return words.map((word) => word.split('=', 1)[0] ?? '');
}

/** Returns why what a client asks for is refused; null if all of it is offered. */
export function refusalOf(
  kind: string,
  asked: readonly string[],
  offered: readonly string[],
): string | null {
  const strange = asked.find((name) => !offered.includes(name));
  if (strange === undefined) return null;
  return `The ${kind} ${JSON.stringify(strange.slice(0, 100))} is not offered.`;
}
