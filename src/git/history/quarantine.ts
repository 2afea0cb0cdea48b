import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inflateSync } from 'node:zlib';
import { parseParents } from '../model/commit-parser.js';
import { ObjectMissingError } from '../model/errors.js';
import type { Oid } from '../model/types.js';
import { folderSize, isAbsent } from '../storage/files.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import { isAncestor } from './comparisons.js';
import { FEW_RANGES, type PushedRange, PushHistory, SHORT_LINE } from './pushed-commits.js';

/** In bytes; git reads larger packs. */
const SMALL_PACK = 64 * 1024;
const HEADER_BYTES = 12;
/** The offset of the number of objects. */
const COUNT_AT = 8;
/** In bytes; larger commits are read by git. */
const LARGEST_COMMIT = 1024 * 1024;
/** Bytes of commits that are read before the event loop continues. */
const BYTES_PER_STEP = 256 * 1024;
const COMMIT = 1;

/** Reads the objects of a push in quarantine, before the push is accepted. */
export class QuarantineView {
  private readonly answers = new Map<string, Promise<boolean>>();
  private newest: ReturnType<typeof leadingCommits> | undefined;
  private history: PushHistory | null = null;

  constructor(
    private readonly location: RepositoryLocation,
    /** The id of the process that will move the refs. */
    readonly processId: number,
    private readonly environment: Record<string, string>,
    private readonly hasLeft: () => boolean,
  ) {}

  /** Whether the client has left. Git removes the objects then, and whatever reads them fails. */
  get isAbandoned(): boolean {
    return this.hasLeft();
  }

  /**
   * Returns whether `ancestor` is reachable from `descendant`; false means a forced push. The ancestor is what the client
   * claims, and need not exist. Answers are cached, so that they can be requested in advance.
   * @throws ObjectMissingError when `descendant` is missing
   */
  isAncestor(ancestor: Oid, descendant: Oid): Promise<boolean> {
    const question = `${ancestor} ${descendant}`;
    const known = this.answers.get(question);
    if (known !== undefined) return known;
    const answer = this.find(ancestor, descendant);
    // A failure is reported to those who await the answer.
    answer.catch(() => undefined);
    this.answers.set(question, answer);
    return answer;
  }

  /**
   * Reads the commits that the push brings to some refs. Returns null for small pushes, whose commits are faster
   * to read when they are needed.
   * @throws ObjectMissingError when one of the ends is missing
   */
  async readHistory(ranges: readonly PushedRange[]): Promise<PushHistory | null> {
    const lines = await Promise.all(ranges.map((range) => this.isShortLine(range)));
    if (ranges.length <= FEW_RANGES && lines.every(Boolean)) return null;
    this.history = await PushHistory.read(this.location, ranges, this.environment);
    await this.history.commitsOf(ranges, this.environment);
    return this.history;
  }

  /** Returns the size of the objects of the push on disk in bytes, including indexes. */
  async size(): Promise<number> {
    const folder = this.environment['GIT_OBJECT_DIRECTORY'];
    return folder === undefined ? 0 : folderSize(resolve(this.location.path, folder));
  }

  private async find(ancestor: Oid, descendant: Oid): Promise<boolean> {
    if (await this.isAncestorInPack(ancestor, descendant)) return true;
    if ((await this.history?.isKnownAncestor(ancestor, descendant)) === true) return true;
    try {
      return await isAncestor(this.location, ancestor, descendant, this.environment);
    } catch (error) {
      // The client names both; git refuses a ref whose new commit is missing.
      const isNamed =
        error instanceof ObjectMissingError && [ancestor, descendant].includes(error.oid);
      if (isNamed) return false;
      throw error;
    }
  }

  /** Returns whether a few commits of a small pack lead to the base, with one parent each. */
  private async isShortLine({ tip, base }: PushedRange): Promise<boolean> {
    const parents = await this.leadingCommits();
    let at: Oid | undefined = tip;
    for (let length = 0; length < SHORT_LINE && at !== base; length += 1) {
      const known: readonly Oid[] | undefined = at === undefined ? undefined : parents.get(at);
      if (known === undefined || known.length > 1) return false;
      if (known.length === 0) return base === null;
      at = known[0];
    }
    return at === base;
  }

  /** Searches the leading commits of the pack, which needs no process and suffices for most pushes. */
  private async isAncestorInPack(ancestor: Oid, descendant: Oid): Promise<boolean> {
    const parents = await this.leadingCommits();
    const seen = new Set([descendant]);
    for (const oid of seen) for (const parent of parents.get(oid) ?? []) seen.add(parent);
    return seen.has(ancestor);
  }

  private leadingCommits(): ReturnType<typeof leadingCommits> {
    const folder = this.environment['GIT_OBJECT_DIRECTORY'];
    if (folder === undefined) return Promise.resolve(new Map());
    this.newest ??= leadingCommits(resolve(this.location.path, folder));
    return this.newest;
  }
}

interface Inflated {
  buffer: Buffer;
  /** How many bytes of the input were consumed. */
  engine: { bytesWritten: number };
}

/**
 * Returns the parents of the leading commits of the only pack in a folder, if it is small. git writes commits
 * first, beginning with the newest. Returns none for a larger pack and for several packs, and stops at the first
 * object that is not a whole commit. git has checked the pack already.
 */
export async function leadingCommits(folder: string): Promise<ReadonlyMap<Oid, readonly Oid[]>> {
  const pack = await smallPack(join(folder, 'pack'));
  return pack === null ? new Map() : commitsOf(pack);
}

async function smallPack(folder: string): Promise<Buffer | null> {
  try {
    const [name, ...others] = (await readdir(folder)).filter((file) => file.endsWith('.pack'));
    if (name === undefined || others.length > 0) return null;
    const path = join(folder, name);
    return (await stat(path)).size > SMALL_PACK ? null : await readFile(path);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

async function commitsOf(pack: Buffer): Promise<Map<Oid, readonly Oid[]>> {
  const commits = new Map<Oid, readonly Oid[]>();
  let at = HEADER_BYTES;
  let bytes = 0;
  const count = pack.readUInt32BE(COUNT_AT);
  while (commits.size < count && typeAt(pack, at) === COMMIT) {
    // The size follows the type: bytes with the first bit set, and one more.
    while (((pack[at] ?? 0) & 0x80) !== 0) at += 1;
    at += 1;
    const inflated = inflate(pack.subarray(at));
    if (inflated === null) break;
    at += inflated.engine.bytesWritten;
    commits.set(commitId(inflated.buffer), parseParents(inflated.buffer));
    bytes += inflated.buffer.length;
    if (bytes >= BYTES_PER_STEP) {
      bytes = 0;
      await nextTurn();
    }
  }
  return commits;
}

/** Returns null for an object that is too large or cannot be inflated; git reads it instead. */
function inflate(input: Buffer): Inflated | null {
  try {
    const options = { info: true, maxOutputLength: LARGEST_COMMIT };
    return inflateSync(input, options) as unknown as Inflated;
  } catch {
    return null;
  }
}

function typeAt(pack: Buffer, at: number): number {
  return ((pack[at] ?? 0) >> 4) & 0b111;
}

function commitId(content: Buffer): Oid {
  return createHash('sha1')
    .update(`commit ${String(content.length)}\0`)
    .update(content)
    .digest('hex');
}
