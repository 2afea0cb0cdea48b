import { gitCommands } from './command-table.js';
import { GitProcessError } from './errors.js';
import { assertOid } from './names.js';
import type { Place } from './room.js';
import type { Oid } from './types.js';

/** Beyond, questions are put to git one by one, which holds none of it in memory. */
const MAX_COMMITS = 50_000;

/** Commits on one side of a range: the newest first, and how many there are. */
export interface Side {
  newest: Oid[];
  total: number;
}

/** A part of a history, held in memory to put many questions to it. */
export class CommitWalk {
  private readonly oids: Oid[];
  private readonly positions: ReadonlyMap<Oid, number>;
  private readonly parents: number[][];
  /** By position, the number of the last question that reached it. */
  private readonly reached: Uint32Array;
  private question = 0;

  /** @param lines a commit and its parents each, the newest first */
  private constructor(lines: readonly string[]) {
    const commits = lines.map((line) => line.split(' '));
    this.oids = commits.map(([oid = '']) => oid);
    this.positions = new Map(this.oids.map((oid, position) => [oid, position]));
    this.parents = commits.map(([, ...parents]) =>
      parents.flatMap((oid) => this.positions.get(oid) ?? []),
    );
    this.reached = new Uint32Array(lines.length);
  }

  /**
   * What can be reached from some commits and not from another one, by one process; null when that is
   * too much, or one of them is missing.
   */
  static async of(
    place: Place,
    tips: readonly Oid[],
    base: Oid | null,
  ): Promise<CommitWalk | null> {
    const ends = [...tips.map(assertOid), ...(base === null ? [] : [`^${assertOid(base)}`]), ''];
    try {
      const { stdout } = await place.run(gitCommands.revListParents(place.path, MAX_COMMITS + 1), {
        input: ends.join('\n'),
        timeoutMs: place.room.requestTimeoutMs,
      });
      const lines = stdout.toString('latin1').split('\n').slice(0, -1);
      return lines.length > MAX_COMMITS ? null : new CommitWalk(lines);
    } catch (error) {
      // One of them is missing; asked one by one, the others can be told of.
      if (error instanceof GitProcessError) return null;
      throw error;
    }
  }

  side(tip: Oid, limit: number): Side {
    const total = this.reach(tip);
    const newest: Oid[] = [];
    for (let at = 0; newest.length < Math.min(limit, total); at += 1) {
      if (this.reached[at] === this.question) newest.push(this.oids[at] ?? '');
    }
    return { newest, total };
  }

  /** All that can be reached from a commit, itself included. */
  from(tip: Oid): ReadonlySet<Oid> {
    this.reach(tip);
    return new Set(this.oids.filter((_, at) => this.reached[at] === this.question));
  }

  /** Whether anything of a set can be reached from a commit. */
  leadsTo(any: ReadonlySet<Oid>, tip: Oid): boolean {
    let leads = false;
    this.reach(tip, (at) => {
      leads ||= any.has(this.oids[at] ?? '');
      return !leads;
    });
    return leads;
  }

  /** Marks what can be reached, as long as `goOn` says so; how much that is. */
  private reach(tip: Oid, goOn: (at: number) => boolean = () => true): number {
    this.question += 1;
    const start = this.positions.get(tip);
    const open = start === undefined ? [] : [start];
    let total = 0;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (this.reached[at] === this.question) continue;
      this.reached[at] = this.question;
      total += 1;
      if (!goOn(at)) break;
      open.push(...(this.parents[at] ?? []));
    }
    return total;
  }
}
