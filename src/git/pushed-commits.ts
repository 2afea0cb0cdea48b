import { gitCommands, type CommitRange, type GitCommand } from './command-table.js';
import { GitProcessError, ObjectMissingError } from './errors.js';
import { assertOid } from './names.js';
import type { ObjectReader } from './object-reader.js';
import type { Place } from './room.js';
import type { Side } from './commit-walk.js';
import { SharedWalks } from './shared-walks.js';
import type { Commit, Oid } from './types.js';

/** Most pushes bring a few commits in a row; these are read one by one, without another process. */
const SHORT_LINE = 32;

export interface PushedRange {
  /** Where the ref points now. */
  tip: Oid;
  /** What was there before: it and its ancestors do not count. Null counts the whole history. */
  base: Oid | null;
  /** Another commit that does not count with its ancestors. */
  besides?: Oid | undefined;
  /** How many of the newest to name. */
  limit: number;
}

export interface PushedCommits {
  /** The newest first. */
  newest: Commit[];
  /** All of them, exactly. */
  total: number;
}

/**
 * The commits that are reachable from one and not from the other.
 * @throws ObjectMissingError when one of the two is no commit of this repository
 */
export async function pushedCommits(
  place: Place,
  objects: ObjectReader,
  range: PushedRange,
): Promise<PushedCommits> {
  return told(objects, range, () => walked(place, range));
}

/** The same for the refs of one push, each by itself, with few processes for all of them. */
export function pushedCommitsOfEach(
  place: Place,
  objects: ObjectReader,
  ranges: readonly PushedRange[],
): Promise<PromiseSettledResult<PushedCommits>[]> {
  const walks = new SharedWalks(place, ranges);
  const walk = async (range: PushedRange): Promise<Side> =>
    (await walks.find(range)) ?? walked(place, range);
  return Promise.allSettled(ranges.map((range) => told(objects, range, () => walk(range))));
}

async function told(
  objects: ObjectReader,
  range: PushedRange,
  walk: () => Promise<Side>,
): Promise<PushedCommits> {
  const line = await shortLine(objects, range);
  if (line !== null) return { newest: line.slice(0, range.limit), total: line.length };
  const { newest, total } = await walk();
  const commits = await objects.commits(newest);
  return { newest: commits.filter((commit) => commit !== null), total };
}

async function walked(place: Place, range: PushedRange): Promise<Side> {
  const left = [range.base, range.besides].filter((oid) => typeof oid === 'string');
  const within: CommitRange = { start: range.tip, exclude: left };
  const [listed, counted] = await Promise.all([
    ask(place, range.tip, gitCommands.newest(place.path, within, range.limit)),
    ask(place, range.tip, gitCommands.revCount(place.path, within)),
  ]);
  return { newest: listed.split('\n').filter((oid) => oid !== ''), total: Number(counted) };
}

/** Null unless commits with one parent each lead from the tip to the base, or to the beginning. */
async function shortLine(
  objects: ObjectReader,
  { tip, base, besides }: PushedRange,
): Promise<Commit[] | null> {
  if (besides !== undefined) return null;
  const line: Commit[] = [];
  for (let at: Oid | undefined = assertOid(tip); at !== base;) {
    if (at === undefined) return base === null ? line : null;
    const commit: Commit | null = line.length < SHORT_LINE ? await objects.commit(at) : null;
    if (commit === null || commit.parents.length > 1) return null;
    line.push(commit);
    at = commit.parents[0];
  }
  return line;
}

async function ask(place: Place, tip: Oid, command: GitCommand): Promise<string> {
  try {
    const options = { timeoutMs: place.room.requestTimeoutMs };
    return (await place.run(command, options)).stdout.toString('latin1');
  } catch (error) {
    if (error instanceof GitProcessError && /bad (?:object|revision)/.test(error.stderr)) {
      throw new ObjectMissingError(tip);
    }
    throw error;
  }
}
