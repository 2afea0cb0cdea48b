import { setImmediate as nextTurn } from 'node:timers/promises';
import { MIB } from '../model/bytes.js';
import { isTreePath } from '../model/names.js';
import { ENTRIES_PER_STEP, type NamedEntry, parseTree } from '../model/tree-parser.js';
import type { Oid, TreeEntry } from '../model/types.js';
import { SharedState } from '../process/runtime.js';
import { ByteCache } from '../storage/byte-cache.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import type { ObjectReader } from './object-reader.js';

/** Entries of trees. */
const TREES = new SharedState(() => new ByteCache<NamedEntry[]>('trees', 12 * MIB));

/** The largest folder, of about half a million files; bytes. */
const MAX_TREE_BYTES = 32 * 1024 * 1024;
/** The size of the trees that are read in one batch; bytes. */
const BATCH_BYTES = 4 * 1024 * 1024;
const FOLDERS_AT_ONCE = 200;
const ENTRY_BYTES = 150;
/** Of an entry with a usual name, as Git stores it. */
const STORED_ENTRY_BYTES = 40;
/** The most entries of a recursive list. */
export const MAX_LISTED = 100_000;
/** The most characters of the paths of a recursive list: below deep folders each path is long. */
const MAX_LISTED_CHARACTERS = 32 * MIB;

interface TreeListing {
  entries: TreeEntry[];
  /** Whether entries are left out. */
  isCut: boolean;
}

/** Reads folders through the `cat-file` process and caches them by id. */
export class Trees {
  constructor(
    private readonly location: RepositoryLocation,
    private readonly objects: ObjectReader,
  ) {}

  /** Returns the entry at a path below a tree, or null. */
  async find(tree: Oid, path: string): Promise<TreeEntry | null> {
    if (!isTreePath(path)) return null;
    const names = path.replace(/\/$/, '').split('/');
    let found: NamedEntry | undefined = { name: '', mode: '040000', type: 'tree', oid: tree };
    for (const name of names) {
      if (found?.type !== 'tree') return null;
      const [entries = []] = await this.read([found.oid]);
      found = entries.find((entry) => entry.name === name);
    }
    return found === undefined ? null : { ...found, path: names.join('/') };
  }

  /** Returns about how large a tree is as Git stores it, in bytes; 0 when it is missing. */
  async size(tree: Oid): Promise<number> {
    const identity = await this.location.identity();
    const known = this.location.runtime.shared(TREES).peek(`${identity}\0${tree}`);
    if (known !== undefined) return known.length * STORED_ENTRY_BYTES;
    return (await this.objects.info(tree))?.size ?? 0;
  }

  /** Lists the entries of a tree in stored order. */
  async list(tree: Oid, path = ''): Promise<TreeListing> {
    const [named = []] = await this.read([tree]);
    const entries: TreeEntry[] = [];
    for (const entry of named) {
      entries.push(below(path, entry));
      if (entries.length % ENTRIES_PER_STEP === 0) await nextTurn();
    }
    return { entries, isCut: false };
  }

  /** Lists all entries below a tree, level by level; at most 100,000, with at most 32 Mi characters of paths. */
  async walk(tree: Oid, path = ''): Promise<TreeListing> {
    const entries: TreeEntry[] = [];
    const folders = [{ oid: tree, path }];
    let characters = 0;
    let stepEnd = ENTRIES_PER_STEP;
    while (folders.length > 0) {
      const some = folders.splice(0, FOLDERS_AT_ONCE);
      const contents = await this.read(some.map(({ oid }) => oid));
      for (const [index, content] of contents.entries()) {
        for (const named of content) {
          const entry = below(some[index]?.path ?? '', named);
          characters += entry.path.length;
          const isFull = entries.length === MAX_LISTED || characters > MAX_LISTED_CHARACTERS;
          if (isFull) return { entries, isCut: true };
          entries.push(entry);
          if (entry.type === 'tree') folders.push(entry);
        }
        if (entries.length > stepEnd) {
          stepEnd = entries.length + ENTRIES_PER_STEP;
          await nextTurn();
        }
      }
    }
    return { entries, isCut: false };
  }

  private async read(oids: readonly Oid[]): Promise<NamedEntry[][]> {
    const identity = await this.location.identity();
    const cache = this.location.runtime.shared(TREES);
    const found = new Map<Oid, NamedEntry[]>();
    const wanted = new Set<Oid>();
    for (const oid of oids) {
      const known = cache.get(`${identity}\0${oid}`);
      if (known) found.set(oid, known);
      else wanted.add(oid);
    }
    const limits = { maxBytes: MAX_TREE_BYTES, batchBytes: BATCH_BYTES };
    for await (const { oid, content } of this.objects.readMany([...wanted], limits)) {
      const entries = await parseTree(oid, content);
      found.set(oid, entries);
      cache.set(`${identity}\0${oid}`, entries, entries.length * ENTRY_BYTES + content.length);
    }
    return oids.map((oid) => found.get(oid) ?? []);
  }
}

function below(path: string, entry: NamedEntry): TreeEntry {
  return { ...entry, path: path === '' ? entry.name : `${path}/${entry.name}` };
}
