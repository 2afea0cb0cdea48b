import { createHash } from 'node:crypto';
import { MIB, OID_BYTES } from '../model/bytes.js';
import { GitProcessError, ObjectMissingError } from '../model/errors.js';
import { assertOid, isTreePath } from '../model/names.js';
import type { Oid } from '../model/types.js';
import { type CommitRange, type GitCommand, gitCommands } from '../process/command-table.js';
import { SharedState } from '../process/runtime.js';
import { ByteCache } from '../storage/byte-cache.js';
import type { RepositoryLocation } from '../storage/repository-location.js';

/** Packed windows of commit ids, 20 bytes each. */
const WINDOWS = new SharedState(() => new ByteCache<Buffer>('history_pages', 16 * MIB));
/** Numbers of commits. */
const TOTALS = new SharedState(() => new ByteCache<number>('history_totals', 1 * MIB));

const FIRST_WINDOW = 1000;
const LARGEST_WINDOW = 64_000;
/** Totals are exact up to this number. */
const EXACT_TOTAL = 10_000;

export interface HistoryOptions {
  /** Of several tips, the history is that of all of them. Tags count as the commits that they name. */
  start: Oid | readonly Oid[];
  /** Excludes this commit and its ancestors. */
  exclude?: Oid | undefined;
  /** Committed at this moment or later; to the second. */
  since?: Date | undefined;
  /** Committed at this moment or earlier; to the second. */
  until?: Date | undefined;
  /** Only commits that change this file or folder. */
  path?: string | undefined;
  /** Only commits with this text in the name or address of the author. */
  author?: string | undefined;
  /** Follows only the first parent of each commit. */
  firstParent?: boolean | undefined;
  /** Lists by date, not in topological order. */
  byDate?: boolean | undefined;
  skip: number;
  limit: number;
}

export interface HistoryPage {
  oids: Oid[];
  /**
   * The number of commits up to 10,000, null beyond. For a path or an author it is also null in a history of more than
   * 10,000 commits, unless the page is the last: counting would compare all of them.
   */
  total: number | null;
}

/** A range in the order in which it is listed. */
interface Walk {
  range: CommitRange;
  byDate: boolean;
  /** The cache key. */
  key: string;
}

/**
 * Lists commits, the newest first, in topological order unless another is asked for. Ids are read in windows that grow with the depth, and
 * cached; they cannot change, since they depend on the start commit only.
 */
export class History {
  constructor(private readonly location: RepositoryLocation) {}

  /** @throws ObjectMissingError when `start` is not a commit of this repository */
  async page(options: HistoryOptions): Promise<HistoryPage> {
    const range = rangeOf(options);
    if (!range) return { oids: [], total: 0 };
    const walk = await this.walkOf(range, options.byDate);
    const { skip, limit } = options;
    const comparesAll = range.path !== undefined || range.author !== undefined;
    if (comparesAll) return this.comparedPage(walk, skip, limit);
    const oids = await this.slice(walk, skip, limit);
    return { oids, total: await this.total(walk) };
  }

  /**
   * Counts the commits that can be reached from one. Cached.
   * @throws ObjectMissingError when `start` is not a commit of this repository
   */
  async count(start: Oid, { firstParent }: { firstParent: boolean }): Promise<number> {
    const range = { start: assertOid(start), firstParent };
    const { key } = await this.walkOf(range);
    return this.cachedCount(`all\0${key}`, range, gitCommands.revCount(this.location.path, range));
  }

  /** Ends the walk when the page is full, since each commit has to be compared. */
  private async comparedPage(walk: Walk, skip: number, limit: number): Promise<HistoryPage> {
    const { key, range, byDate } = walk;
    const page = await this.cachedList(`${key}\0${skip}\0${limit}`, range.start, () =>
      gitCommands.revList(this.location.path, range, { skip, limit, byDate }),
    );
    const oids = oidsOf(page, 0, page.length);
    const isLast = oids.length < limit && (oids.length > 0 || skip === 0);
    if (isLast) return { oids, total: skip + oids.length };
    const { start, exclude, firstParent } = range;
    const all = await this.walkOf({ start, exclude, firstParent });
    const isShort = (await this.total(all)) !== null;
    return { oids, total: isShort ? await this.total(walk) : null };
  }

  /** Returns the newest commit that changes a file or folder, or null. Cached. */
  async lastChange(start: Oid, path: string): Promise<Oid | null> {
    if (!isTreePath(path)) return null;
    const range = { start: assertOid(start), path };
    const oids = await this.newest(`change\0${path}`, start, () =>
      gitCommands.newest(this.location.path, range, 1),
    );
    return oids[0] ?? null;
  }

  /** Returns commits that are not merges, the newest first by date. Cached. */
  newestPlain(start: Oid, limit: number): Promise<Oid[]> {
    return this.newest(`plain\0${limit}`, start, () =>
      gitCommands.newestPlain(this.location.path, start, limit),
    );
  }

  private async newest(question: string, start: Oid, command: () => GitCommand): Promise<Oid[]> {
    const key = `${await this.location.identity()}\0${start}\0${question}`;
    const known = await this.cachedList(key, start, command);
    return oidsOf(known, 0, known.length);
  }

  private async walkOf(range: CommitRange, byDate = false): Promise<Walk> {
    const { start } = range;
    const name = typeof start === 'string' ? start : digestOf(start);
    const question = JSON.stringify({ ...range, start: name });
    const key = `${await this.location.identity()}\0${String(byDate)}\0${question}`;
    return { range, byDate, key };
  }

  /** Returns the packed output of a command that lists ids. Cached. */
  private async cachedList(
    key: string,
    start: CommitRange['start'],
    command: () => GitCommand,
  ): Promise<Buffer> {
    const cache = this.location.runtime.shared(WINDOWS);
    const known = cache.get(key);
    if (known !== undefined) return known;
    const text = await this.run(start, command());
    const listed = Buffer.from(text.replaceAll('\n', ''), 'hex');
    cache.set(key, listed, listed.length);
    return listed;
  }

  private async slice(walk: Walk, skip: number, limit: number): Promise<Oid[]> {
    const oids: Oid[] = [];
    let at = skip;
    while (oids.length < limit) {
      const { begin, size } = windowAround(at);
      const window = await this.window(walk, begin, size);
      const from = (at - begin) * OID_BYTES;
      const to = Math.min(window.length, from + (limit - oids.length) * OID_BYTES);
      oids.push(...oidsOf(window, from, to));
      if (window.length < size * OID_BYTES) break;
      at = begin + size;
    }
    return oids;
  }

  private async window({ range, byDate, key }: Walk, begin: number, size: number): Promise<Buffer> {
    return this.cachedList(windowKey(key, begin), range.start, () =>
      gitCommands.revList(this.location.path, range, { skip: begin, limit: size, byDate }),
    );
  }

  private async total({ range, key }: Walk): Promise<number | null> {
    const first = this.location.runtime.shared(WINDOWS).get(windowKey(key, 0));
    if (first && first.length < FIRST_WINDOW * OID_BYTES) return first.length / OID_BYTES;
    const command = gitCommands.revCount(this.location.path, range, EXACT_TOTAL + 1);
    const count = await this.cachedCount(key, range, command);
    return count > EXACT_TOTAL ? null : count;
  }

  private async cachedCount(
    key: string,
    { start }: CommitRange,
    command: GitCommand,
  ): Promise<number> {
    const cache = this.location.runtime.shared(TOTALS);
    const known = cache.get(key);
    if (known !== undefined) return known;
    const count = Number(await this.run(start, command));
    cache.set(key, count, 8);
    return count;
  }

  private async run(start: CommitRange['start'], command: GitCommand): Promise<string> {
    const { requestTimeoutMs: timeoutMs } = this.location.runtime.limits;
    const input = typeof start === 'string' ? {} : { input: `${start.join('\n')}\n` };
    try {
      const { stdout } = await this.location.run(command, { timeoutMs, ...input });
      return stdout.toString('latin1');
    } catch (error) {
      if (error instanceof GitProcessError && /bad (?:object|revision)/.test(error.stderr)) {
        throw new ObjectMissingError(typeof start === 'string' ? start : (start[0] ?? ''));
      }
      throw error;
    }
  }
}

/** Returns null when no commit can be in the range. */
function rangeOf(options: HistoryOptions): CommitRange | null {
  const { path, author, firstParent } = options;
  if (path !== undefined && !isTreePath(path)) return null;
  // No author has a line end.
  if (author !== undefined && !/^[^\0\r\n]+$/.test(author)) return null;
  const start = startOf(options.start);
  if (start.length === 0) return null;
  const since = options.since && Math.max(0, Math.ceil(options.since.getTime() / 1000));
  const until = options.until && Math.floor(options.until.getTime() / 1000);
  if (until !== undefined && (until < 0 || (since !== undefined && since > until))) return null;
  const exclude = options.exclude === undefined ? undefined : [options.exclude];
  return { start, exclude, since, until, path, author, firstParent };
}

/** Returns several tips in one order, so that the same ones have the same cache entries. */
const startOf = (start: HistoryOptions['start']): CommitRange['start'] =>
  typeof start === 'string' ? assertOid(start) : [...new Set(start.map(assertOid))].sort();

const digestOf = (oids: readonly Oid[]): string =>
  createHash('sha256').update(oids.join('')).digest('hex');

function oidsOf(packed: Buffer, from: number, to: number): Oid[] {
  const oids: Oid[] = [];
  for (let byte = from; byte < to; byte += OID_BYTES) {
    oids.push(packed.toString('hex', byte, byte + OID_BYTES));
  }
  return oids;
}

function windowKey(key: string, begin: number): string {
  return `${key}\0${begin}`;
}

/** Returns the window of a position: consecutive windows have 1,000, 2,000, 4,000 … up to 64,000 ids. */
function windowAround(position: number): { begin: number; size: number } {
  let begin = 0;
  let size = FIRST_WINDOW;
  while (position >= begin + size) {
    begin += size;
    size = Math.min(size * 2, LARGEST_WINDOW);
  }
  return { begin, size };
}
