import { randomInt } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gitCommands } from './command-table.js';
import { GitProcessError, ObjectMissingError } from './errors.js';
import { assertOid } from './names.js';
import type { RepositoryLocation } from './runtime.js';
import type { Oid } from './types.js';

/** A graph holds the newest so many commits, at about 60 bytes each; older ones are left out. */
export const MAX_COMMITS = 2_000_000;
/** So many parents of one commit are followed. */
const MAX_PARENTS = 1_000;
/** Starting points whose reach is found at once: one bit each. */
export const LANES = 32;
/** Bounds how long git may hang, not how much it has to do. */
const LIMIT_MS = 60 * 60_000;
const OID_DIGITS = 40;
/** An id as numbers of 32 bits. */
const OID_WORDS = 5;
const WORD_DIGITS = 8;
const FIRST_CAPACITY = 1_024;
const SPACE = 0x20;
const LINE_END = 0x0a;

/** Which part of a history to read. */
export interface GraphEnds {
  /** Commits to begin with. */
  tips: readonly Oid[];
  /** Left out with all that they lead to. */
  exclude: readonly Oid[];
}

/**
 * Reads a part of a history with one git process.
 * @param environment lets git see objects that are not accepted yet
 * @throws ObjectMissingError when one of the ends is missing
 */
export async function readGraph(
  location: RepositoryLocation,
  { tips, exclude }: GraphEnds,
  environment: Record<string, string> = {},
): Promise<CommitGraph> {
  const table = new CommitTable();
  const ends = [...new Set(tips.map(assertOid)), ...exclude.map((oid) => `^${assertOid(oid)}`)];
  try {
    if (tips.length > 0) {
      await location.run(gitCommands.revListParents(location.path, MAX_COMMITS), {
        input: `${ends.join('\n')}\n`,
        timeoutMs: LIMIT_MS,
        environment,
        onStdout: (chunk) => table.push(chunk),
      });
    }
  } catch (error) {
    const bad = /bad (?:object|revision) '?\^?([0-9a-f]{40})?/;
    const match = error instanceof GitProcessError ? bad.exec(error.stderr) : null;
    throw match === null ? error : new ObjectMissingError(match[1] ?? tips[0] ?? '');
  }
  table.complete();
  return new CommitGraph(table);
}

/**
 * A part of a history in memory, to put many questions to it. Commits have positions from 0 to `size` - 1,
 * children before their parents, else the newest first. Commits that are left out, but are parents of others,
 * have the positions behind.
 */
export class CommitGraph {
  constructor(private readonly table: CommitTable) {}

  /** How many commits it holds. */
  get size(): number {
    return this.table.size;
  }

  /** Whether older commits are missing because there are too many. */
  get isCut(): boolean {
    return this.size >= MAX_COMMITS;
  }

  /** Null for a commit that is neither held nor a parent of one that is. */
  position(oid: Oid): number | null {
    return this.table.position(oid);
  }

  oid(position: number): Oid {
    return this.table.oid(position);
  }

  /**
   * Finds what can be reached from up to 32 sets of commits at once.
   * @param starts the positions of each set
   * @returns by position, parents that are left out included, a mask with a bit for each set
   */
  async reach(starts: readonly (readonly number[])[]): Promise<Uint32Array> {
    // Other requests get their turn between two passes over the graph.
    await nextTurn();
    const { size, total, parentsAt, parents } = this.table;
    const masks = new Uint32Array(total);
    for (const [lane, positions] of starts.entries()) {
      for (const position of positions) masks[position] = at(masks, position) | (1 << lane);
    }
    for (let position = 0; position < size; position += 1) {
      const mask = at(masks, position);
      if (mask === 0) continue;
      const end = at(parentsAt, position + 1);
      for (let edge = at(parentsAt, position); edge < end; edge += 1) {
        const parent = at(parents, edge);
        masks[parent] = at(masks, parent) | mask;
      }
    }
    return masks;
  }

  /** By position, whether a commit of a set can be reached from there. @param marked by position */
  leadsTo(marked: (position: number) => boolean): Uint8Array {
    const { size, total, parentsAt, parents } = this.table;
    const leads = new Uint8Array(total);
    for (let position = size - 1; position >= 0; position -= 1) {
      let found = marked(position);
      const end = at(parentsAt, position + 1);
      for (let edge = at(parentsAt, position); !found && edge < end; edge += 1) {
        found = at(leads, at(parents, edge)) === 1;
      }
      if (found) leads[position] = 1;
    }
    return leads;
  }

  /**
   * The newest commits that can be reached from one, by date as `git rev-list` orders them.
   * @param isLeftOut by position; what it leads to has to be left out as well
   */
  newest(start: number, limit: number, isLeftOut: (position: number) => boolean): Oid[] {
    const { size, times, parentsAt, parents } = this.table;
    const seen = new Set<number>();
    const open: number[] = [];
    const add = (position: number): void => {
      if (position >= size || seen.has(position) || isLeftOut(position)) return;
      seen.add(position);
      // Of the same date, the one that was found first comes first.
      let before = open.length;
      while (before > 0 && at(times, open[before - 1] ?? 0) >= at(times, position)) before -= 1;
      open.splice(before, 0, position);
    };
    const newest: Oid[] = [];
    add(start);
    while (newest.length < limit) {
      const position = open.pop();
      if (position === undefined) break;
      newest.push(this.oid(position));
      const end = Math.min(at(parentsAt, position + 1), at(parentsAt, position) + MAX_OPEN);
      for (let edge = at(parentsAt, position); edge < end && seen.size < MAX_OPEN; edge += 1) {
        add(at(parents, edge));
      }
    }
    return newest;
  }
}

/** How many commits are looked at to name the newest: a commit may have very many parents. */
const MAX_OPEN = 10_000;

/** The arrays behind a graph, filled from what git writes. */
class CommitTable {
  /** Commits that are held. */
  size = 0;
  /** The same, and the parents of theirs that are left out. */
  total = 0;
  times = new Float64Array(FIRST_CAPACITY);
  /** By position, where the parents of a commit begin. */
  parentsAt = new Uint32Array(FIRST_CAPACITY + 1);
  /** Entries while the graph is read, positions afterwards. */
  parents = new Uint32Array(FIRST_CAPACITY);
  /** The ids of all commits that were named, in the order in which they were: by entry. */
  private ids = new Uint32Array(FIRST_CAPACITY * OID_WORDS);
  private entries = 0;
  private edges = 0;
  /** By entry, the position and one; 0 for what has not come yet. */
  private positions = new Uint32Array(FIRST_CAPACITY);
  private entryAt = new Uint32Array(FIRST_CAPACITY);
  /** A hash table with open addressing: the entry and one, 0 where it is free. */
  private slots = new Uint32Array(FIRST_CAPACITY * 4);
  /** Not to be foreseen: nobody can make commits that all meet in one slot. */
  private readonly seed = randomInt(2 ** 31) * 2 + 1;
  /** The id that is looked for. */
  private readonly id = new Uint32Array(OID_WORDS);
  private rest: Buffer = Buffer.alloc(0);

  /** Takes more of git's output: a line with the time, the commit and its parents for each. */
  push(chunk: Buffer): void {
    const text = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    let from = 0;
    for (let end = text.indexOf(LINE_END); end !== -1; end = text.indexOf(LINE_END, from)) {
      this.line(text, from, end);
      from = end + 1;
    }
    this.rest = Buffer.from(text.subarray(from));
  }

  /** Call when git has ended. */
  complete(): void {
    this.total = this.size;
    this.entryAt = grown(this.entryAt, this.entries);
    for (let entry = 0; entry < this.entries; entry += 1) {
      if (at(this.positions, entry) !== 0) continue;
      this.entryAt[this.total] = entry;
      this.total += 1;
      this.positions[entry] = this.total;
    }
    for (let edge = 0; edge < this.edges; edge += 1) {
      this.parents[edge] = at(this.positions, at(this.parents, edge)) - 1;
    }
  }

  position(oid: Oid): number | null {
    for (let word = 0; word < OID_WORDS; word += 1) {
      this.id[word] = Number.parseInt(oid.slice(word * WORD_DIGITS, (word + 1) * WORD_DIGITS), 16);
    }
    const slot = this.slotOf();
    const entry = at(this.slots, slot) - 1;
    return entry < 0 ? null : at(this.positions, entry) - 1;
  }

  oid(position: number): Oid {
    const from = at(this.entryAt, position) * OID_WORDS;
    let oid = '';
    for (let word = from; word < from + OID_WORDS; word += 1) {
      oid += at(this.ids, word).toString(16).padStart(WORD_DIGITS, '0');
    }
    return oid;
  }

  private line(text: Buffer, from: number, end: number): void {
    let time = 0;
    let next = from;
    for (; next < end && text[next] !== SPACE; next += 1) time = time * 10 + (text[next] ?? 0) - 48;
    this.times = grown(this.times, this.size + 1);
    this.parentsAt = grown(this.parentsAt, this.size + 2);
    this.entryAt = grown(this.entryAt, this.size + 1);
    const entry = this.entry(text, next + 1);
    this.times[this.size] = time;
    this.entryAt[this.size] = entry;
    this.parentsAt[this.size] = this.edges;
    this.size += 1;
    this.positions[entry] = this.size;
    next += OID_DIGITS + 1;
    for (let count = 0; next < end && count < MAX_PARENTS; next += OID_DIGITS + 1, count += 1) {
      this.parents = grown(this.parents, this.edges + 1);
      this.parents[this.edges] = this.entry(text, next + 1);
      this.edges += 1;
    }
    this.parentsAt[this.size] = this.edges;
  }

  /** The entry of the commit whose id stands in a text; made where it is new. */
  private entry(text: Buffer, from: number): number {
    for (let word = 0, digit = from; word < OID_WORDS; word += 1) {
      let value = 0;
      for (const end = digit + WORD_DIGITS; digit < end; digit += 1) {
        value = (value << 4) | nibble(text[digit]);
      }
      this.id[word] = value;
    }
    const slot = this.slotOf();
    const known = at(this.slots, slot);
    if (known !== 0) return known - 1;
    const entry = this.entries;
    this.entries += 1;
    this.ids = grown(this.ids, this.entries * OID_WORDS);
    this.ids.set(this.id, entry * OID_WORDS);
    this.positions = grown(this.positions, this.entries);
    this.slots[slot] = this.entries;
    if (this.entries * 2 > this.slots.length) this.rehash();
    return entry;
  }

  /** Where the commit stands that is looked for, or may stand. */
  private slotOf(): number {
    const { slots, id, ids } = this;
    const mask = slots.length - 1;
    for (let slot = this.hash(at(id, 0), at(id, 1)) & mask; ; slot = (slot + 1) & mask) {
      const entry = at(slots, slot) - 1;
      if (entry < 0) return slot;
      const from = entry * OID_WORDS;
      let same = 0;
      while (same < OID_WORDS && at(ids, from + same) === at(id, same)) same += 1;
      if (same === OID_WORDS) return slot;
    }
  }

  private hash(first: number, second: number): number {
    return first ^ Math.imul(second, this.seed);
  }

  private rehash(): void {
    const slots = new Uint32Array(this.slots.length * 2);
    const mask = slots.length - 1;
    for (let entry = 0; entry < this.entries; entry += 1) {
      const from = entry * OID_WORDS;
      let slot = this.hash(at(this.ids, from), at(this.ids, from + 1)) & mask;
      while (at(slots, slot) !== 0) slot = (slot + 1) & mask;
      slots[slot] = entry + 1;
    }
    this.slots = slots;
  }
}

/** Of an index that is within the array by construction. */
function at(array: Uint32Array | Uint8Array | Float64Array, index: number): number {
  return array[index] ?? 0;
}

/** The value of a digit, `0` to `9` or `a` to `f`. */
function nibble(digit = 0): number {
  return digit < 0x3a ? digit - 0x30 : digit - 0x57;
}

/** The same array, or a larger one with the same beginning. */
function grown<T extends Uint32Array | Float64Array>(array: T, length: number): T {
  if (length <= array.length) return array;
  const larger = array instanceof Float64Array ? Float64Array : Uint32Array;
  const copy = new larger(Math.max(length, array.length * 2));
  copy.set(array);
  return copy as T;
}
