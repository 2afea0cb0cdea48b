import { gitCommands } from './command-table.js';
import { GitProcessError } from './errors.js';
import { assertOid } from './names.js';
import type { PushedRange } from './pushed-commits.js';
import type { Place } from './room.js';
import type { Oid } from './types.js';

/** More than this is asked for ref by ref, which holds none of it in memory. */
const MAX_COMMITS = 50_000;

/** Commits on one side of a range: the newest first, and how many there are. */
export interface Side {
  newest: Oid[];
  total: number;
}

/**
 * Walks once for all refs of a push that are told of against the same commit, as those of a mirror are.
 * A walk begins when the first of them asks.
 */
export class SharedWalks {
  private readonly tips = new Map<Oid | null, Oid[]>();
  private readonly walks = new Map<Oid | null, Promise<Walk | null>>();

  constructor(
    private readonly place: Place,
    ranges: readonly PushedRange[],
  ) {
    for (const { tip, base } of ranges) {
      this.tips.set(base, [...(this.tips.get(base) ?? []), assertOid(tip)]);
    }
  }

  /** Null where a walk of its own is to be made: for a single ref, or where there is too much. */
  async find({ tip, base, limit }: PushedRange): Promise<Side | null> {
    const tips = this.tips.get(base) ?? [];
    if (tips.length < 2) return null;
    const walk = this.walks.get(base) ?? this.walk(tips, base);
    this.walks.set(base, walk);
    return (await walk)?.side(tip, limit) ?? null;
  }

  private async walk(tips: readonly Oid[], base: Oid | null): Promise<Walk | null> {
    const { launcher, requestTimeoutMs: timeoutMs } = this.place.room;
    const ends = base === null ? tips : [...tips, `^${assertOid(base)}`];
    const command = gitCommands.revListParents(this.place.path, MAX_COMMITS + 1);
    try {
      const { stdout } = await launcher.run(command, { input: `${ends.join('\n')}\n`, timeoutMs });
      const lines = stdout.toString('latin1').split('\n').slice(0, -1);
      return lines.length > MAX_COMMITS ? null : new Walk(lines);
    } catch (error) {
      // One of them is missing; asked one by one, the others can be told of.
      if (error instanceof GitProcessError) return null;
      throw error;
    }
  }
}

class Walk {
  private readonly oids: Oid[];
  private readonly positions: ReadonlyMap<Oid, number>;
  private readonly parents: number[][];
  /** By position, the number of the last question that reached it. */
  private readonly reached: Uint32Array;
  private question = 0;

  /** @param lines a commit and its parents each, the newest first */
  constructor(lines: readonly string[]) {
    const commits = lines.map((line) => line.split(' '));
    this.oids = commits.map(([oid = '']) => oid);
    this.positions = new Map(this.oids.map((oid, position) => [oid, position]));
    this.parents = commits.map(([, ...parents]) =>
      parents.flatMap((oid) => this.positions.get(oid) ?? []),
    );
    this.reached = new Uint32Array(lines.length);
  }

  side(tip: Oid, limit: number): Side {
    const total = this.reach(tip);
    const newest: Oid[] = [];
    for (let at = 0; newest.length < Math.min(limit, total); at += 1) {
      if (this.reached[at] === this.question) newest.push(this.oids[at] ?? '');
    }
    return { newest, total };
  }

  /** Marks what can be reached; how much that is. */
  private reach(tip: Oid): number {
    this.question += 1;
    const start = this.positions.get(tip);
    const open = start === undefined ? [] : [start];
    let total = 0;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (this.reached[at] === this.question) continue;
      this.reached[at] = this.question;
      total += 1;
      open.push(...(this.parents[at] ?? []));
    }
    return total;
  }
}
