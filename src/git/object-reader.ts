import type { Readable } from 'node:stream';
import { CatFileReply, type CatFileAnswer } from './cat-file-reply.js';
import { gitCommands } from './command-table.js';
import { parseCommit } from './commit-parser.js';
import { GitProcessError, ObjectMissingError, ObjectTooLargeError } from './errors.js';
import { asError, exitOf, killGroup, stderrTail } from './launcher.js';
import { assertOid } from './names.js';
import type { Place } from './room.js';
import type { Commit, GitObject, ObjectInfo, Oid } from './types.js';

const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;
const MAX_COMMIT_BYTES = 4 * 1024 * 1024;
const COMMIT_OVERHEAD_BYTES = 600;
const COMMITS_PER_REQUEST = 500;

export interface ReadOptions {
  /** Larger objects are refused; bytes, 16 MiB unless told. */
  maxBytes?: number;
}

/** Reads objects through one `cat-file` process. */
export class ObjectReader {
  constructor(private readonly place: Place) {}

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

  /** Commits in the order of their ids, null for those that are not there; read in one round. */
  async commits(oids: readonly Oid[]): Promise<(Commit | null)[]> {
    const identity = await this.place.identity();
    const cache = this.place.room.caches.commits;
    const found = new Map<Oid, Commit | null>();
    const wanted = new Set<Oid>();
    for (const oid of oids) {
      const known = cache.get(`${identity}\0${assertOid(oid)}`);
      if (known) found.set(oid, known);
      else wanted.add(oid);
    }
    for (const [oid, content] of await this.contents([...wanted])) {
      const commit = parseCommit(oid, content);
      found.set(oid, commit);
      cache.set(`${identity}\0${oid}`, commit, content.length * 2 + COMMIT_OVERHEAD_BYTES);
    }
    return oids.map((oid) => found.get(oid) ?? null);
  }

  /**
   * The commit behind an object (tags are peeled) or behind an abbreviated id; null when there is
   * none or more than one.
   */
  async peelToCommit(hex: string): Promise<Oid | null> {
    const info = await this.lookUp(`${hex}^{commit}`);
    return info?.type === 'commit' ? info.oid : null;
  }

  private async contents(oids: Oid[]): Promise<Map<Oid, Buffer>> {
    const contents = new Map<Oid, Buffer>();
    for (let at = 0; at < oids.length; at += COMMITS_PER_REQUEST) {
      const part = oids.slice(at, at + COMMITS_PER_REQUEST);
      const answers = await this.ask('contents', part, MAX_COMMIT_BYTES);
      for (const answer of answers) {
        if (answer?.type === 'commit' && 'content' in answer && answer.content) {
          contents.set(answer.oid, answer.content);
        }
      }
    }
    return contents;
  }

  private async lookUp(name: string): Promise<ObjectInfo | null> {
    const [answer] = await this.ask('info', [name], 0);
    return answer ?? null;
  }

  private async ask(
    kind: 'info' | 'contents',
    names: readonly string[],
    maxBytes: number,
  ): Promise<CatFileAnswer[]> {
    const { path, room } = this.place;
    return room.pool.request({
      owner: await this.place.identity(),
      command: gitCommands.catFileBatch(path),
      input: `${names.map((name) => `${kind} ${name}\n`).join('')}flush\n`,
      reply: () => new CatFileReply(names.length, kind, maxBytes),
      repeatable: true,
    });
  }

  private openBlob(oid: Oid): Readable {
    const { path, room } = this.place;
    const child = room.launcher.spawn(gitCommands.catBlob(path, oid), ['ignore', 'pipe', 'pipe']);
    const content = child.stdout as Readable;
    const tail = stderrTail(child.stderr);
    content.once('close', () => killGroup(child, 'SIGKILL'));
    exitOf(child).then(
      (code) => {
        if (code !== 0 && !content.destroyed)
          content.destroy(new GitProcessError('cat-file', code, tail()));
      },
      (error: unknown) => content.destroy(asError(error)),
    );
    return content;
  }
}
