import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MIB } from '../model/bytes.js';
import { parseCommit, parseTag, unreadableCommit } from '../model/commit-parser.js';
import {
  GitMemoryTakenError,
  GitProcessError,
  ObjectDamagedError,
  ObjectMissingError,
  ObjectTooLargeError,
} from '../model/errors.js';
import { assertOid } from '../model/names.js';
import type { Commit, GitObject, ObjectInfo, Oid, TagText } from '../model/types.js';
import { gitCommands } from '../process/command-table.js';
import { SharedState } from '../process/runtime.js';
import { ByteCache } from '../storage/byte-cache.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import { type CatFileAnswer, CatFileReply } from './cat-file-reply.js';

/** Commits as `commits` returns them. */
export const COMMITS = new SharedState(() => new ByteCache<Commit>('commits', 24 * MIB));
/** Texts of tag objects, null for objects of other types. */
const TAG_TEXTS = new SharedState(() => new ByteCache<TagText | null>('tag_messages', 4 * MIB));
/** Of what the text of a tag is besides its message; bytes. */
const TAGGER_BYTES = 200;

const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;
/** `core.bigFileThreshold`. */
const STREAMED_BYTES = 16 * 1024 * 1024;
/** How long a download waits for memory that others of its address use. */
const MEMORY_WAIT_MS = 10_000;
const MAX_COMMIT_BYTES = 1024 * 1024;
/** How much is read of larger commits and tags, which were stored before pushes had limits. */
const BEGINNING_BYTES = 64 * 1024;
/** How much lists read of larger commits: headers, and a message of 65,536 ASCII characters. */
const LISTED_BYTES = 80 * 1024;
const COMMIT_OVERHEAD_BYTES = 600;
const COMMITS_PER_REQUEST = 500;
/** What is parsed before the event loop continues, in bytes of the cache: some 250 usual commits, or a large one. */
const BYTES_PER_STEP = 256 * 1024;
/** Tags of tags that are followed. */
const MAX_NESTED_TAGS = 100;
const TAG_TARGET = /^object ([0-9a-f]{40})\n/;
const BLOB_NAME = /^[0-9a-f]{4,40}$/;

interface ReadOptions {
  /** The largest allowed object in bytes; by default 16 MiB. */
  maxBytes?: number;
  /** Of the object, where the caller has it: it is not asked for again. */
  info?: ObjectInfo | null | undefined;
}

/** Reads objects through one long-lived `cat-file` process. */
export class ObjectReader {
  constructor(private readonly location: RepositoryLocation) {}

  /** Returns type and size of an object, null when the repository does not have it. */
  async info(oid: Oid): Promise<ObjectInfo | null> {
    return this.lookUp(assertOid(oid));
  }

  /** Returns those of some objects that the repository does not have. */
  async findMissing(oids: readonly Oid[]): Promise<Oid[]> {
    const sizes = await this.sizes(oids);
    return oids.filter((_, index) => sizes[index] === null);
  }

  /** Returns the sizes of objects in bytes, null for those that the repository does not have. */
  async sizes(oids: readonly Oid[]): Promise<(number | null)[]> {
    const sizes: (number | null)[] = [];
    for (let at = 0; at < oids.length; at += COMMITS_PER_REQUEST) {
      const batch = oids.slice(at, at + COMMITS_PER_REQUEST).map(assertOid);
      for (const answer of await this.ask('info', batch, 0)) sizes.push(answer?.size ?? null);
    }
    return sizes;
  }

  /**
   * Reads a whole object. Returns null when the repository does not have it.
   * @throws ObjectTooLargeError before any content is read
   */
  async read(oid: Oid, options: ReadOptions = {}): Promise<GitObject | null> {
    const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
    const info = options.info ?? (await this.info(oid));
    if (!info) return null;
    if (info.size > maxBytes) throw new ObjectTooLargeError(oid, info.size, maxBytes);
    const [answer] = await this.ask('contents', [oid], maxBytes);
    return answer && 'content' in answer && answer.content ? answer : null;
  }

  /**
   * Reads those of some objects that exist, in batches.
   * @param limits.maxBytes the largest allowed object
   * @param limits.batchBytes the largest sum of a batch
   * @throws ObjectTooLargeError
   */
  async *readMany(
    oids: readonly Oid[],
    limits: { maxBytes: number; batchBytes: number },
  ): AsyncGenerator<GitObject> {
    if (oids.length === 0) return;
    const infos = await this.ask('info', oids.map(assertOid), 0);
    for (const batch of batchesOf(infos, limits)) {
      for (const answer of await this.ask('contents', batch, limits.maxBytes)) {
        if (answer && 'content' in answer && answer.content) yield answer;
      }
    }
  }

  /**
   * Returns the texts of tag objects, null for other and unreadable objects. Reads them in one request and
   * caches them. Of a tag above 1 MiB the first 64 KiB are read.
   */
  tags(oids: readonly Oid[]): Promise<(TagText | null)[]> {
    return this.readTags(oids, MAX_COMMIT_BYTES, BEGINNING_BYTES);
  }

  /** Like `tags`, for lists: of a tag above 80 KiB that much is read, and its message ends in `…`. */
  listedTags(oids: readonly Oid[]): Promise<(TagText | null)[]> {
    return this.readTags(oids, LISTED_BYTES, LISTED_BYTES);
  }

  /**
   * Streams the content of a blob of any size through its own process.
   * @throws ObjectMissingError when there is no such blob
   * @throws GitMemoryTakenError when other reads of the client's address take too much memory
   */
  async stream(oid: Oid): Promise<{ size: number; content: Readable }> {
    const info = await this.info(oid);
    if (info?.type !== 'blob') throw new ObjectMissingError(oid);
    const { location } = this;
    // git streams a large file, unless it is stored as a difference: then it loads both versions.
    const expectedBytes = info.size > STREAMED_BYTES ? 2 * info.size : 0;
    if (expectedBytes > 0) await this.awaitMemory();
    const content = location.openReader(gitCommands.catBlob(location.path, oid), expectedBytes);
    return { size: info.size, content };
  }

  /** Returns a commit, null when there is no such commit. */
  async commit(oid: Oid): Promise<Commit | null> {
    const [commit] = await this.commits([oid]);
    return commit ?? null;
  }

  /**
   * Returns commits in the order of the ids, null for missing and unreadable ones. Reads them in one request
   * and caches them. Of a commit above 1 MiB the first 64 KiB are read.
   */
  commits(oids: readonly Oid[]): Promise<(Commit | null)[]> {
    return this.readCommits(oids, MAX_COMMIT_BYTES, BEGINNING_BYTES);
  }

  /**
   * Like `commits`, for lists: missing and unreadable commits are blank, with their id. Of a commit above
   * 80 KiB that much is read, and its message ends in `…`.
   */
  async listed(oids: readonly Oid[]): Promise<Commit[]> {
    const commits = await this.readCommits(oids, LISTED_BYTES, LISTED_BYTES);
    return oids.map((oid, index) => commits[index] ?? unreadableCommit(oid));
  }

  /** Peels an object to its commit. Returns null when there is no such commit. */
  async peelToCommit(oid: Oid): Promise<Oid | null> {
    let info = await this.info(oid);
    // Peeled here, since git reads each object that it peels, and keeps commits and trees in memory.
    for (let tags = 0; info?.type === 'tag' && tags < MAX_NESTED_TAGS; tags += 1) {
      const [tag] = await this.readable([info.oid], BEGINNING_BYTES, BEGINNING_BYTES);
      const [, target] = TAG_TARGET.exec(tag?.content.toString('latin1', 0, 50) ?? '') ?? [];
      info = target === undefined ? null : await this.info(target);
    }
    return info?.type === 'commit' ? info.oid : null;
  }

  /**
   * Returns the object of a type with an id or abbreviated id, null when there is none or more than one. git would
   * prefer a ref of that name, hence the check of the result.
   */
  async find(hex: string, type: 'commit' | 'blob'): Promise<Oid | null> {
    // Without a type git does not read the object.
    const info = (await this.lookUp(hex)) ?? (await this.lookUp(`${hex}^{${type}}`));
    return info?.type === type && info.oid.startsWith(hex) ? info.oid : null;
  }

  /** Returns the blob with an id or abbreviated id, null when there is none or more than one. */
  async findBlob(hex: string): Promise<Oid | null> {
    return BLOB_NAME.test(hex) ? this.find(hex, 'blob') : null;
  }

  /**
   * Reads commits up to `maxBytes`, and the beginnings of larger ones. Commits that are cut for a list are not
   * cached, since other callers need all of them.
   */
  private async readCommits(
    oids: readonly Oid[],
    maxBytes: number,
    beginningBytes: number,
  ): Promise<(Commit | null)[]> {
    const identity = await this.location.identity();
    const cache = this.location.runtime.shared(COMMITS);
    const found = new Map<Oid, Commit | null>();
    const wanted = new Set<Oid>();
    for (const oid of oids) {
      const known = cache.get(`${identity}\0${assertOid(oid)}`);
      if (known) found.set(oid, known);
      else wanted.add(oid);
    }
    let parsed = 0;
    for (const { oid, type, size, content } of await this.beginnings(
      [...wanted],
      maxBytes,
      beginningBytes,
    )) {
      if (type !== 'commit') continue;
      const weight = content.length * 2 + COMMIT_OVERHEAD_BYTES;
      parsed += weight;
      if (parsed >= BYTES_PER_STEP) {
        parsed = 0;
        await nextTurn();
      }
      const commit = readableCommit(oid, content);
      if (commit === null) continue;
      if (isCutForList(size, content, maxBytes)) {
        found.set(oid, { ...commit, message: cutText(commit.message) });
        continue;
      }
      found.set(oid, commit);
      cache.set(`${identity}\0${oid}`, commit, weight);
    }
    return oids.map((oid) => found.get(oid) ?? null);
  }

  private async readTags(
    oids: readonly Oid[],
    maxBytes: number,
    beginningBytes: number,
  ): Promise<(TagText | null)[]> {
    const identity = await this.location.identity();
    const cache = this.location.runtime.shared(TAG_TEXTS);
    const keyOf = (oid: Oid): string => `${identity}\0${oid}`;
    const texts = new Map(oids.map((oid) => [oid, cache.get(keyOf(oid))]));
    const unknown = oids.filter((oid) => texts.get(oid) === undefined);
    if (unknown.length > 0) {
      const answers = await this.beginnings(unknown.map(assertOid), maxBytes, beginningBytes);
      for (const { oid, type, size, content } of answers) {
        const text = type === 'tag' ? parseTag(content) : null;
        if (text !== null && isCutForList(size, content, maxBytes)) {
          texts.set(oid, { ...text, message: cutText(text.message) });
          continue;
        }
        texts.set(oid, text);
        cache.set(keyOf(oid), text, text === null ? 0 : text.message.length + TAGGER_BYTES);
      }
    }
    return oids.map((oid) => texts.get(oid) ?? null);
  }

  /** Reads objects up to `maxBytes`, and the beginnings of larger ones. */
  private async beginnings(
    oids: readonly Oid[],
    maxBytes: number,
    beginningBytes: number,
  ): Promise<GitObject[]> {
    const found: GitObject[] = [];
    for (let at = 0; at < oids.length; at += COMMITS_PER_REQUEST) {
      found.push(
        ...(await this.readable(
          oids.slice(at, at + COMMITS_PER_REQUEST),
          maxBytes,
          beginningBytes,
        )),
      );
    }
    return found;
  }

  /** Reads objects. A damaged object ends the process; then each object is read separately. */
  private async readable(
    oids: readonly Oid[],
    maxBytes: number,
    beginningBytes: number,
  ): Promise<GitObject[]> {
    try {
      const answers = await this.ask('contents', oids, maxBytes, beginningBytes);
      return answers.flatMap((answer) => beginningOf(answer) ?? []);
    } catch (error) {
      if (!(error instanceof GitProcessError)) throw error;
      if (oids.length < 2) return [];
    }
    const found: GitObject[] = [];
    for (const oid of oids) found.push(...(await this.readable([oid], maxBytes, beginningBytes)));
    return found;
  }

  private async lookUp(name: string): Promise<ObjectInfo | null> {
    const [answer] = await this.ask('info', [name], 0);
    return answer ?? null;
  }

  private ask(
    kind: 'info' | 'contents',
    names: readonly string[],
    maxBytes: number,
    beginningBytes = 0,
  ): Promise<CatFileAnswer[]> {
    return this.location.ask({
      command: gitCommands.catFileBatch(this.location.path),
      input: `${names.map((name) => `${kind} ${name}\n`).join('')}flush\n`,
      reply: () => new CatFileReply(names.length, kind, maxBytes, beginningBytes),
      repeatable: true,
    });
  }

  private async awaitMemory(): Promise<void> {
    try {
      await this.location.whenReadersHaveRoom(AbortSignal.timeout(MEMORY_WAIT_MS));
    } catch {
      throw new GitMemoryTakenError();
    }
  }
}

/** Divides objects into batches of a limited size. */
function* batchesOf(
  infos: readonly (ObjectInfo | null)[],
  { maxBytes, batchBytes }: { maxBytes: number; batchBytes: number },
): Generator<Oid[]> {
  let batch: Oid[] = [];
  let bytes = 0;
  for (const info of infos) {
    if (!info) continue;
    if (info.size > maxBytes) throw new ObjectTooLargeError(info.oid, info.size, maxBytes);
    if (batch.length > 0 && bytes + info.size > batchBytes) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(info.oid);
    bytes += info.size;
  }
  if (batch.length > 0) yield batch;
}

/** Parses a commit. Returns null when it is damaged. */
function readableCommit(oid: Oid, content: Buffer): Commit | null {
  try {
    return parseCommit(oid, content);
  } catch (error) {
    if (error instanceof ObjectDamagedError) return null;
    throw error;
  }
}

/** Returns an object with its content, or the beginning of it; null for a missing object. */
function beginningOf(answer: CatFileAnswer): GitObject | null {
  if (!answer || !('content' in answer)) return null;
  return answer.content === null ? { ...answer, content: answer.beginning } : answer;
}

/** Returns whether an object was cut for a list, and other callers would read more of it. */
function isCutForList(size: number, content: Buffer, maxBytes: number): boolean {
  return size > content.length && maxBytes < MAX_COMMIT_BYTES;
}

/** Marks a text as cut, and drops a last character that was cut in two. */
const cutText = (text: string): string => `${text.replace(/\uFFFD$/, '')}…`;
