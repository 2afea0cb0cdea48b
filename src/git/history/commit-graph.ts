import { randomInt } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SPACE } from '../model/bytes.js';
import { GitProcessError, ObjectMissingError } from '../model/errors.js';
import { assertOid } from '../model/names.js';
import type { Oid } from '../model/types.js';
import { gitCommands } from '../process/command-table.js';
import type { RepositoryLocation } from '../storage/repository-location.js';

/** The most commits of a graph, at about 60 bytes each. Older ones are left out. */
const MAX_COMMITS = 2_000_000;
/** The most parents of one commit that are followed. */
const MAX_PARENTS = 1_000;
/** The most sets of starting points of one pass: one bit each. */
export const LANES = 32;
/** Bounds how long git may hang, not how much it may read. */
const LIMIT_MS = 60 * 60_000;
const OID_DIGITS = 40;
/** An id as numbers of 32 bits. */
const OID_WORDS = 5;
const WORD_DIGITS = 8;
const FIRST_CAPACITY = 1_024;
const LINE_END = 0x0a;

/** The part of a history to read. */
interface GraphEnds {
  /** The commits where the walk begins. */
  tips: readonly Oid[];
  /** Commits that are left out with their ancestors. */
  exclude: readonly Oid[];
}

/**
 * Reads a part of a history with one git process.
 * @param environment makes git see objects in quarantine
 * @throws ObjectMissingError when one of the commits is missing
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
 * A part of a history in memory, for many queries. Commits have positions from 0 to `size` - 1: children before
 * their parents, otherwise the newest first. Commits that are left out, but are parents of others, follow.
 */
export class CommitGraph {
  constructor(private readonly table: CommitTable) {}

  /** The number of commits. */
  get size(): number {
    return this.table.size;
  }

  /** Whether older commits are left out because there are too many. */
  get isCut(): boolean {
    return this.size >= MAX_COMMITS;
  }

  /** Returns the position of a commit, null if it is neither in the graph nor a parent of one that is. */
  position(oid: Oid): number | null {
    return this.table.position(oid);
  }

  oid(position: number): Oid {
    return this.table.oid(position);
  }

  /**
   * Marks the commits that are reachable from up to 32 sets of commits.
   * @param starts the positions of each set
   * @returns a mask with a bit for each set, by position, including parents that are left out
   */
  async reach(starts: readonly (readonly number[])[]): Promise<Uint32Array> {
    // Lets the event loop continue between two passes over the graph.
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

  /** Returns by position whether a marked commit is reachable from there. */
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
   * Returns the newest commits that are reachable from one, by date in the order of `git rev-list`.
   * @param isLeftOut by position; true for a commit has to mean true for its ancestors
   */
  newest(start: number, limit: number, isLeftOut: (position: number) => boolean): Oid[] {
    const { size, times, parentsAt, parents } = this.table;
    const seen = new Set<number>();
    const open: number[] = [];
    const add = (position: number): void => {
      if (position >= size || seen.has(position) || isLeftOut(position)) return;
      seen.add(position);
      // Commits of the same date are returned in the order in which they are found.
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

/** How many commits are visited to find the newest, since a commit may have very many parents. */
const MAX_OPEN = 10_000;

/** The arrays of a graph, parsed from the output of git. */
class CommitTable {
  /** The number of commits. */
  size = 0;
  /** The number of commits and of their parents that are left out. */
  total = 0;
  times = new Float64Array(FIRST_CAPACITY);
  /** By position, the index of the first parent in `parents`. */
  parentsAt = new Uint32Array(FIRST_CAPACITY + 1);
  /** Entries while the graph is being read, positions afterwards. */
  parents = new Uint32Array(FIRST_CAPACITY);
  /** By entry, the ids of all commits in the order of their first mention. */
  private ids = new Uint32Array(FIRST_CAPACITY * OID_WORDS);
  private entries = 0;
  private edges = 0;
  /** By entry, the position plus one; 0 while it is unknown. */
  private positions = new Uint32Array(FIRST_CAPACITY);
  private entryAt = new Uint32Array(FIRST_CAPACITY);
  /** A hash table with open addressing: the entry plus one, 0 for a free slot. */
  private slots = new Uint32Array(FIRST_CAPACITY * 4);
  /** Random, so that commits cannot be crafted to collide in one slot. */
  private readonly seed = randomInt(2 ** 31) * 2 + 1;
  /** The id of the current look-up. */
  private readonly id = new Uint32Array(OID_WORDS);
  private rest: Buffer = Buffer.alloc(0);

  /** Takes more output of git: a line with time, commit and parents for each commit. */
  push(chunk: Buffer): void {
    const text = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    let from = 0;
    for (let end = text.indexOf(LINE_END); end !== -1; end = text.indexOf(LINE_END, from)) {
      this.line(text, from, end);
      from = end + 1;
    }
    this.rest = Buffer.from(text.subarray(from));
  }

  /** Has to be called when git has ended. */
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

  /** Returns the entry of the commit id at an offset of a text, and adds it if it is new. */
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

  /** Returns the slot of the current look-up: its own one, or the free one to use. */
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

/** Reads an array at an index that is valid by construction. */
function at(array: Uint32Array | Uint8Array | Float64Array, index: number): number {
  return array[index] ?? 0;
}

/** Returns the value of a digit, `0` to `9` or `a` to `f`. */
function nibble(digit = 0): number {
  return digit < 0x3a ? digit - 0x30 : digit - 0x57;
}

/** Returns the array, or a larger copy when it is too short. */
function grown<T extends Uint32Array | Float64Array>(array: T, length: number): T {
  if (length <= array.length) return array;
  const larger = array instanceof Float64Array ? Float64Array : Uint32Array;
  const copy = new larger(Math.max(length, array.length * 2));
  copy.set(array);
  return copy as T;
}
