import { CommitWalk, type Side } from './commit-walk.js';
import { assertOid } from './names.js';
import type { PushedRange } from './pushed-commits.js';
import type { Place } from './room.js';
import type { Oid } from './types.js';

/**
 * Walks once for all refs of a push that are told of against the same commit, as those of a mirror are.
 * A walk begins when the first of them asks.
 */
export class SharedWalks {
  private readonly tips = new Map<Oid | null, Oid[]>();
  private readonly walks = new Map<Oid | null, Promise<CommitWalk | null>>();

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
    const walk = this.walks.get(base) ?? CommitWalk.of(this.place, tips, base);
    this.walks.set(base, walk);
    return (await walk)?.side(tip, limit) ?? null;
  }
}
