import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CatFileReply, type CatFileAnswer } from './cat-file-reply.js';
import { outputOf } from './child-output.js';
import { gitCommands } from './command-table.js';
import { parseCommit, unreadableCommit } from './commit-parser.js';
import {
  GitProcessError,
  ObjectDamagedError,
  ObjectMissingError,
  ObjectTooLargeError,
} from './errors.js';
import { assertOid } from './names.js';
import type { RepositoryLocation } from './runtime.js';
import type { Commit, GitObject, ObjectInfo, Oid } from './types.js';

const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;
const MAX_COMMIT_BYTES = 1024 * 1024;
/** What is read of larger commits and tags, which were stored before pushes had limits. */
const BEGINNING_BYTES = 64 * 1024;
/** What lists read of larger commits: headers, and a message of 65,536 ASCII characters. */
const LISTED_BYTES = 80 * 1024;
const COMMIT_OVERHEAD_BYTES = 600;
const COMMITS_PER_REQUEST = 500;
/** Commits that are parsed before other work of the process has its turn. */
const COMMITS_PER_STEP = 250;
const BLOB_NAME = /^[0-9a-f]{4,40}$/;

export interface ReadOptions {
  /** Larger objects are refused; bytes, 16 MiB unless told. */
  maxBytes?: number;
}

/** Reads objects through one `cat-file` process. */
export class ObjectReader {
  constructor(private readonly location: RepositoryLocation) {}

  /** Type and size of an object, or null when the repository does not have it. */
  async info(oid: Oid): Promise<ObjectInfo | null> {
    return this.lookUp(assertOid(oid));
  }

  /**
   * A whole object, or null.
   * @throws ObjectTooLargeError before any content is read
   */
  async read(oid: Oid, options: ReadOptions = {}): Promise<GitObject | null> {
    const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
    const info = await this.info(oid);
    if (!info) return null;
    if (info.size > maxBytes) throw new ObjectTooLargeError(oid, info.size, maxBytes);
    const [answer] = await this.ask('contents', [oid], maxBytes);
    return answer && 'content' in answer && answer.content ? answer : null;
  }

  /**
   * Whole objects, those that are there, in rounds of a bounded size.
   * @param limits.maxBytes of one object
   * @param limits.roundBytes of the objects that are read together
   * @throws ObjectTooLargeError
   */
  async *readMany(
    oids: readonly Oid[],
    limits: { maxBytes: number; roundBytes: number },
  ): AsyncGenerator<GitObject> {
    if (oids.length === 0) return;
    const infos = await this.ask('info', oids.map(assertOid), 0);
    for (const round of roundsOf(infos, limits)) {
      for (const answer of await this.ask('contents', round, limits.maxBytes)) {
        if (answer && 'content' in answer && answer.content) yield answer;
      }
    }
  }

  /**
   * What tag objects say, null for objects of other kinds and for unreadable ones; read in one round, and
   * remembered. Of a tag above 1 MiB the first 64 KiB count.
   */
  tagMessages(oids: readonly Oid[]): Promise<(string | null)[]> {
    return this.readTagMessages(oids, MAX_COMMIT_BYTES, BEGINNING_BYTES);
  }

  /** The same for lists: of a tag above 80 KiB that much is read, and its message ends in `…`. */
  listedTagMessages(oids: readonly Oid[]): Promise<(string | null)[]> {
    return this.readTagMessages(oids, LISTED_BYTES, LISTED_BYTES);
  }

  /**
   * The content of a blob of any size, through a process of its own.
   * @throws ObjectMissingError when there is no such blob
   */
  async stream(oid: Oid): Promise<{ size: number; content: Readable }> {
    const info = await this.info(oid);
    if (info?.type !== 'blob') throw new ObjectMissingError(oid);
    return { size: info.size, content: this.openBlob(oid) };
  }

  /** A commit, or null when there is no such object or it is none. */
  async commit(oid: Oid): Promise<Commit | null> {
    const [commit] = await this.commits([oid]);
    return commit ?? null;
  }

  /**
   * Commits in the order of their ids, null for those that are not there or cannot be read; read in one
   * round. Of a commit above 1 MiB the first 64 KiB count.
   */
  commits(oids: readonly Oid[]): Promise<(Commit | null)[]> {
    return this.readCommits(oids, MAX_COMMIT_BYTES, BEGINNING_BYTES);
  }

  /**
   * The same for lists: a commit that cannot be read is there with its id, and blank otherwise. Of a commit
   * above 80 KiB that much is read, and its message ends in `…`.
   */
  async listed(oids: readonly Oid[]): Promise<Commit[]> {
    const commits = await this.readCommits(oids, LISTED_BYTES, LISTED_BYTES);
    return oids.map((oid, index) => commits[index] ?? unreadableCommit(oid));
  }

  /**
   * The commit behind an object (tags are peeled) or behind an abbreviated id; null when there is
   * none or more than one.
   */
  async peelToCommit(hex: string): Promise<Oid | null> {
    const info = await this.lookUp(`${hex}^{commit}`);
    return info?.type === 'commit' ? info.oid : null;
  }

  /** The blob of that id, or of an abbreviated one; null when there is none or more than one. */
  async findBlob(hex: string): Promise<Oid | null> {
    const info = BLOB_NAME.test(hex) ? await this.lookUp(`${hex}^{blob}`) : null;
    return info?.type === 'blob' && info.oid.startsWith(hex) ? info.oid : null;
  }

  /**
   * Commits up to `maxBytes`, and the beginnings of larger ones. What is only cut for a list is not kept:
   * other readers want all of it.
   */
  private async readCommits(
    oids: readonly Oid[],
    maxBytes: number,
    beginningBytes: number,
  ): Promise<(Commit | null)[]> {
    const identity = await this.location.identity();
    const cache = this.location.runtime.caches.commits;
    const found = new Map<Oid, Commit | null>();
    const wanted = new Set<Oid>();
    for (const oid of oids) {
      const known = cache.get(`${identity}\0${assertOid(oid)}`);
      if (known) found.set(oid, known);
      else wanted.add(oid);
    }
    for (const { oid, type, size, content } of await this.beginnings(
      [...wanted],
      maxBytes,
      beginningBytes,
    )) {
      if (type !== 'commit') continue;
      const commit = readableCommit(oid, content);
      if (commit === null) continue;
      if (isCutForList(size, content, maxBytes)) {
        found.set(oid, { ...commit, message: cutText(commit.message) });
        continue;
      }
      if (found.size % COMMITS_PER_STEP === 0) await nextTurn();
      found.set(oid, commit);
      cache.set(`${identity}\0${oid}`, commit, content.length * 2 + COMMIT_OVERHEAD_BYTES);
    }
    return oids.map((oid) => found.get(oid) ?? null);
  }

  private async readTagMessages(
    oids: readonly Oid[],
    maxBytes: number,
    beginningBytes: number,
  ): Promise<(string | null)[]> {
    const identity = await this.location.identity();
    const { facts } = this.location.runtime.caches;
    const keyOf = (oid: Oid): string => `tag\0${identity}\0${oid}`;
    const messages = new Map(oids.map((oid) => [oid, facts.get(keyOf(oid))]));
    const unknown = oids.filter((oid) => messages.get(oid) === undefined);
    if (unknown.length > 0) {
      const answers = await this.beginnings(unknown.map(assertOid), maxBytes, beginningBytes);
      for (const { oid, type, size, content } of answers) {
        const message = type === 'tag' ? tagMessage(content) : null;
        if (message !== null && isCutForList(size, content, maxBytes)) {
          messages.set(oid, cutText(message));
          continue;
        }
        messages.set(oid, message);
        facts.set(keyOf(oid), message, message?.length ?? 0);
      }
    }
    return oids.map((oid) => (messages.get(oid) as string | null | undefined) ?? null);
  }

  /** Whole objects up to `maxBytes`, and the beginnings of larger ones. */
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

  /** One damaged object ends the process that is to read it: then each is read by itself. */
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

  private async ask(
    kind: 'info' | 'contents',
    names: readonly string[],
    maxBytes: number,
    beginningBytes = 0,
  ): Promise<CatFileAnswer[]> {
    const { path, runtime } = this.location;
    return runtime.pool.request({
      owner: await this.location.identity(),
      command: gitCommands.catFileBatch(path),
      input: `${names.map((name) => `${kind} ${name}\n`).join('')}flush\n`,
      reply: () => new CatFileReply(names.length, kind, maxBytes, beginningBytes),
      repeatable: true,
    });
  }

  private openBlob(oid: Oid): Readable {
    const { path, runtime } = this.location;
    const child = runtime.launcher.spawn(gitCommands.catBlob(path, oid), [
      'ignore',
      'pipe',
      'pipe',
    ]);
    return outputOf(child, 'cat-file', runtime.streamIdleMs);
  }
}

/** The objects one after the other, as many together as stay within a size. */
function* roundsOf(
  infos: readonly (ObjectInfo | null)[],
  { maxBytes, roundBytes }: { maxBytes: number; roundBytes: number },
): Generator<Oid[]> {
  let round: Oid[] = [];
  let bytes = 0;
  for (const info of infos) {
    if (!info) continue;
    if (info.size > maxBytes) throw new ObjectTooLargeError(info.oid, info.size, maxBytes);
    if (round.length > 0 && bytes + info.size > roundBytes) {
      yield round;
      round = [];
      bytes = 0;
    }
    round.push(info.oid);
    bytes += info.size;
  }
  if (round.length > 0) yield round;
}

/** Null for one that is damaged. */
function readableCommit(oid: Oid, content: Buffer): Commit | null {
  try {
    return parseCommit(oid, content);
  } catch (error) {
    if (error instanceof ObjectDamagedError) return null;
    throw error;
  }
}

/** The content, or as much of it as was kept; null for an object that is missing. */
function beginningOf(answer: CatFileAnswer): GitObject | null {
  if (!answer || !('content' in answer)) return null;
  return answer.content === null ? { ...answer, content: answer.beginning } : answer;
}

/** What stands behind the headers, without the line end that git adds. */
function tagMessage(content: Buffer): string {
  const headersEnd = content.indexOf('\n\n');
  if (headersEnd === -1) return '';
  return content.toString('utf8', headersEnd + 2).replace(/\n$/, '');
}

/** Whether others read more of an object than was read for a list. */
function isCutForList(size: number, content: Buffer, maxBytes: number): boolean {
  return size > content.length && maxBytes < MAX_COMMIT_BYTES;
}

/** A text whose end is missing, perhaps from the middle of a character on. */
const cutText = (text: string): string => `${text.replace(/\uFFFD$/, '')}…`;
