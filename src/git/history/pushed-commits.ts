import { ObjectMissingError } from '../model/errors.js';
import { assertOid } from '../model/names.js';
import type { Oid } from '../model/types.js';
import type { ObjectReader } from '../objects/object-reader.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import { type CommitGraph, LANES, readGraph } from './commit-graph.js';

/** The longest linear history that is read commit by commit, without another process. Most pushes are short. */
export const SHORT_LINE = 32;
/** The most refs for which that is tried. */
export const FEW_RANGES = 4;
/** The most additional walks for refs that the common walk does not cover. Beyond, the whole history is walked. */
const OWN_WALKS = 16;

export interface PushedRange {
  /** The new target of the ref. */
  tip: Oid;
  /** The old target, excluded with its ancestors. Null counts the whole history. */
  base: Oid | null;
  /** Another commit that is excluded with its ancestors. */
  besides?: Oid | undefined;
  /** How many of the newest commits to return. */
  limit: number;
}

export interface PushedCommits {
  /** The newest first. */
  newest: Oid[];
  /** The number of commits; if there are more than `MAX_COMMITS`, those among the newest of them. */
  total: number;
}

/**
 * Returns the commits that are reachable from the tip and not from the base.
 * @throws ObjectMissingError when one of the two is no commit of this repository
 */
export async function pushedCommits(
  location: RepositoryLocation,
  objects: ObjectReader,
  range: PushedRange,
): Promise<PushedCommits> {
  const line = await shortLine(objects, range);
  if (line !== null) return { newest: line.slice(0, range.limit), total: line.length };
  const left = [range.base, range.besides].filter((oid) => typeof oid === 'string');
  const graph = await readGraph(location, { tips: [range.tip], exclude: left });
  const start = graph.position(range.tip);
  const newest = start === null ? [] : graph.newest(start, range.limit, () => false);
  return { newest, total: graph.size };
}

/**
 * Returns the commits of each ref of one push. The number of processes does not depend on the number of refs.
 * @param history the history of the push if it has been read already
 */
export async function pushedCommitsOfEach(
  location: RepositoryLocation,
  objects: ObjectReader,
  ranges: readonly PushedRange[],
  history: PushHistory | null = null,
): Promise<PromiseSettledResult<PushedCommits>[]> {
  if (history === null && ranges.length <= FEW_RANGES) {
    const lines = await Promise.all(ranges.map((range) => shortLine(objects, range)));
    if (lines.every((line) => line !== null)) {
      return lines.map((line, at) =>
        fulfilled({ newest: line.slice(0, ranges[at]?.limit), total: line.length }),
      );
    }
  }
  const missing = history === null ? await missingEnds(objects, ranges) : new Set<Oid>();
  const whole = ranges.filter(({ tip, base }) => !missing.has(tip) && !missing.has(base ?? ''));
  const read = history ?? (await PushHistory.read(location, whole));
  const found = await read.commitsOf(whole);
  const results = new Map(whole.map((range, at) => [range, found[at]]));
  return ranges.map((range) => {
    const result = results.get(range);
    return result === undefined
      ? { status: 'rejected', reason: new ObjectMissingError(range.tip) }
      : fulfilled(result);
  });
}

function fulfilled(value: PushedCommits): PromiseFulfilledResult<PushedCommits> {
  return { status: 'fulfilled', value };
}

async function missingEnds(
  objects: ObjectReader,
  ranges: readonly PushedRange[],
): Promise<Set<Oid>> {
  const ends = new Set(ranges.flatMap(({ tip, base }) => (base === null ? [tip] : [tip, base])));
  const commits = await objects.commits([...ends]);
  return new Set([...ends].filter((_, at) => commits[at] === null));
}

/** Returns null unless commits with one parent each lead from the tip to the base, or to a root commit. */
async function shortLine(
  objects: ObjectReader,
  { tip, base, besides }: PushedRange,
): Promise<Oid[] | null> {
  if (besides !== undefined) return null;
  const line: Oid[] = [];
  for (let at: Oid | undefined = assertOid(tip); at !== base;) {
    if (at === undefined) return base === null ? line : null;
    const parents: Oid[] | undefined =
      line.length < SHORT_LINE ? (await objects.commit(at))?.parents : undefined;
    if (parents === undefined || parents.length > 1) return null;
    line.push(at);
    at = parents[0];
  }
  return line;
}

/** The ends of a range of commits. */
type Ends = Pick<PushedRange, 'tip' | 'base'>;

const keyOf = ({ tip, base, limit }: PushedRange): string => `${tip} ${base ?? ''} ${limit}`;

/**
 * The commits that the refs of one push bring, found with one walk over the commits that are reachable from a new
 * target and from no old target.
 */
export class PushHistory {
  private readonly known = new Map<string, PushedCommits>();

  private constructor(
    private readonly location: RepositoryLocation,
    private readonly graph: CommitGraph,
    private readonly excluded: ReadonlySet<Oid>,
  ) {}

  /**
   * @param environment makes git see objects in quarantine
   * @throws ObjectMissingError when one of the ends is missing
   */
  static async read(
    location: RepositoryLocation,
    ranges: readonly Ends[],
    environment: Record<string, string> = {},
  ): Promise<PushHistory> {
    const moved = ranges.filter(({ tip, base }) => tip !== base);
    const tips = [...new Set(moved.map(({ tip }) => tip))];
    const bases = new Set(moved.map(({ base }) => base).filter((base) => base !== null));
    // The base of one ref may be a new commit of another one.
    for (const tip of tips) bases.delete(tip);
    const graph = await readGraph(location, { tips, exclude: [...bases] }, environment);
    return new PushHistory(location, graph, bases);
  }

  /**
   * Returns whether one commit is known to be reachable from another one. False also means that the walk has not
   * visited it.
   */
  async isKnownAncestor(ancestor: Oid, descendant: Oid): Promise<boolean> {
    const [to, from] = [this.graph.position(ancestor), this.graph.position(descendant)];
    if (to === null || from === null) return ancestor === descendant;
    return ((await this.graph.reach([[from]]))[to] ?? 0) !== 0;
  }

  /** Counts the commits of the push that are reachable from each tip. */
  async totalsOf(tips: readonly Oid[]): Promise<number[]> {
    const totals: number[] = [];
    for (let begin = 0; begin < tips.length; begin += LANES) {
      const some = tips.slice(begin, begin + LANES);
      const masks = await this.graph.reach(some.map((tip) => this.startAt(tip)));
      totals.push(...laneTotals(masks, null, this.graph.size).slice(0, some.length));
    }
    return totals;
  }

  /**
   * Returns the commits that each ref has brought. Results are cached, so that they can be computed in advance.
   * @param environment for additional walks
   */
  async commitsOf(
    ranges: readonly PushedRange[],
    environment: Record<string, string> = {},
  ): Promise<PushedCommits[]> {
    const unknown = new Map(ranges.map((range) => [keyOf(range), range]));
    for (const key of unknown.keys()) if (this.known.has(key)) unknown.delete(key);
    const wanted = [...unknown.values()];
    const open: PushedRange[] = [];
    for (let begin = 0; begin < wanted.length; begin += LANES) {
      open.push(...(await this.find(wanted.slice(begin, begin + LANES))));
    }
    for (const { some, ends } of furtherWalks(open)) {
      const further = await PushHistory.read(this.location, ends, environment);
      for (let begin = 0; begin < some.length; begin += LANES) {
        await further.find(some.slice(begin, begin + LANES));
      }
      for (const [key, commits] of further.known) this.known.set(key, commits);
    }
    return ranges.map((range) => this.known.get(keyOf(range)) ?? NOTHING);
  }

  /** Computes the ranges that the graph covers. @returns the other ranges */
  private async find(ranges: readonly PushedRange[]): Promise<PushedRange[]> {
    const { graph } = this;
    const tips = await graph.reach(ranges.map(({ tip }) => this.startAt(tip)));
    const bases = await graph.reach(
      ranges.map(({ base }) => (base === null ? [] : this.startAt(base))),
    );
    let open = 0;
    for (let position = graph.size; position < tips.length; position += 1) {
      open |= (tips[position] ?? 0) & ~(bases[position] ?? 0);
    }
    const totals = laneTotals(tips, bases, graph.size);
    const left: PushedRange[] = [];
    for (const [lane, range] of ranges.entries()) {
      const bit = 1 << lane;
      const start = graph.position(range.tip);
      if (!this.answers(range, start, (open & bit) !== 0)) {
        left.push(range);
        continue;
      }
      const isLeftOut = (position: number): boolean => ((bases[position] ?? 0) & bit) !== 0;
      const newest = start === null ? [] : graph.newest(start, range.limit, isLeftOut);
      this.known.set(keyOf(range), { newest, total: totals[lane] ?? 0 });
    }
    return left;
  }

  /**
   * Returns whether the graph has all commits of a range.
   * @param leads whether commits outside of the graph are reachable from the tip, and not known to be from the base
   */
  private answers({ tip, base }: Ends, start: number | null, leads: boolean): boolean {
    if (tip === base) return true;
    if (base !== null && !this.excluded.has(base) && this.graph.position(base) === null)
      return false;
    if (this.graph.isCut) return true;
    // Everything outside of the graph is reachable from the only excluded commit.
    if (this.excluded.size === 1 && base !== null && this.excluded.has(base)) return true;
    return start !== null && !leads;
  }

  private startAt(oid: Oid): number[] {
    const position = this.graph.position(oid);
    return position === null ? [] : [position];
  }
}

const NOTHING: PushedCommits = { newest: [], total: 0 };

/** An additional walk, with the ranges it covers. */
interface FurtherWalk {
  some: readonly PushedRange[];
  ends: readonly Ends[];
}

/** Plans one walk for each base; if there are too many, one walk over everything. */
function furtherWalks(ranges: readonly PushedRange[]): FurtherWalk[] {
  const groups = new Map<Oid | null, PushedRange[]>();
  for (const range of ranges) {
    groups.set(range.base, [...(groups.get(range.base) ?? []), range]);
  }
  if (groups.size <= OWN_WALKS) return [...groups.values()].map((some) => ({ some, ends: some }));
  const all = ranges.flatMap(({ tip, base }) => (base === null ? [tip] : [tip, base]));
  return [{ some: ranges, ends: all.map((tip) => ({ tip, base: null })) }];
}

/** Counts for each lane the commits that have its bit in one mask and not in the other. */
function laneTotals(masks: Uint32Array, without: Uint32Array | null, size: number): number[] {
  // Counts the values of each byte of a mask, which is faster than counting each of 32 bits.
  const counts = [0, 1, 2, 3].map(() => new Uint32Array(256));
  const [first, second, third, fourth] = counts as [Counts, Counts, Counts, Counts];
  for (let position = 0; position < size; position += 1) {
    const mask = (masks[position] ?? 0) & ~(without?.[position] ?? 0);
    if (mask === 0) continue;
    increment(first, mask & 0xff);
    increment(second, (mask >>> 8) & 0xff);
    increment(third, (mask >>> 16) & 0xff);
    increment(fourth, mask >>> 24);
  }
  return Array.from({ length: LANES }, (_, lane) => {
    const bit = 1 << (lane & 7);
    const count = counts[lane >> 3] ?? first;
    return count.reduce((sum, found, value) => ((value & bit) === 0 ? sum : sum + found), 0);
  });
}

type Counts = Uint32Array;

function increment(counts: Counts, value: number): void {
  counts[value] = (counts[value] ?? 0) + 1;
}
