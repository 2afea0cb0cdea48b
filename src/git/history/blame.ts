import { GitProcessError, ObjectMissingError } from '../model/errors.js';
import type { Oid } from '../model/types.js';
import { gitCommands } from '../process/command-table.js';
import type { RepositoryLocation } from '../storage/repository-location.js';

/** Lines of a file, from 1, with the last one. */
export interface LineRange {
  first: number;
  last: number;
}

/** Consecutive lines that one commit brought in their present form. */
export interface BlamedLines extends LineRange {
  commit: Oid;
}

export interface BlameOptions {
  commit: Oid;
  path: string;
  /** Must lie within the file. */
  lines: LineRange;
}

/** `COMMIT LINE-THEN LINE-NOW COUNT` begins the entry of some lines; their metadata follows, each behind a word. */
const ENTRY = /^([0-9a-f]{40}) \d+ (\d+) (\d+)$/;
/** The most characters of an entry, and more. */
const ENTRY_LENGTH = 128;

/**
 * Finds the commits that brought the lines of a file, in the order of the lines. Follows renamed files.
 * @throws ObjectMissingError when there is no such commit
 */
export async function blame(
  location: RepositoryLocation,
  { commit, path, lines }: BlameOptions,
): Promise<BlamedLines[]> {
  await location.identity();
  const found: BlamedLines[] = [];
  let rest = '';
  try {
    await location.run(gitCommands.blame(location.path, commit, path, lines), {
      timeoutMs: location.runtime.limits.requestTimeoutMs,
      onStdout: (chunk) => {
        const texts = (rest + chunk.toString('latin1')).split('\n');
        // Longer lines are texts of commits, which are not read.
        rest = (texts.pop() ?? '').slice(0, ENTRY_LENGTH);
        for (const text of texts) {
          const [, oid, first, count] = ENTRY.exec(text) ?? [];
          if (oid === undefined) continue;
          const from = Number(first);
          found.push({ commit: oid, first: from, last: from + Number(count) - 1 });
        }
      },
    });
  } catch (error) {
    const isMissing = error instanceof GitProcessError && error.stderr.includes('bad revision');
    throw isMissing ? new ObjectMissingError(commit) : error;
  }
  return joined(found.sort((a, b) => a.first - b.first));
}

/** Joins neighbours of one commit, which git lists apart where they were apart in an older version. */
function joined(parts: readonly BlamedLines[]): BlamedLines[] {
  const whole: BlamedLines[] = [];
  for (const part of parts) {
    const before = whole.at(-1);
    if (before?.commit === part.commit) before.last = part.last;
    else whole.push({ ...part });
  }
  return whole;
}
