import { setImmediate as nextTurn } from 'node:timers/promises';
import { InvalidArgumentError, ObjectMissingError } from '../model/errors.js';
import { isTreePath } from '../model/names.js';
import {
  ENTRIES_PER_STEP,
  FileMode,
  parseRawTree,
  type RawTreeEntry,
} from '../model/tree-parser.js';
import type { Oid } from '../model/types.js';
import type { NewObjects } from './new-objects.js';
import type { ObjectReader } from './object-reader.js';

/** The size of all folders that an editor reads, of about a million entries. */
const MAX_READ_BYTES = 64 * 1024 * 1024;
/** Stands for undecodable bytes in decoded names. */
const REPLACEMENT = '\uFFFD';

export type FileEntry = Pick<RawTreeEntry, 'mode' | 'oid'>;

/** A folder that was read. Other folders are known by id only. */
interface Folder {
  entries: Map<string, RawTreeEntry>;
  opened: Map<string, Folder>;
  changed: boolean;
  /** The names that are not UTF-8, by their decoded text. Set when first needed. */
  undecodable?: ReadonlyMap<string, string>;
}

/**
 * Edits the files below a tree in memory. Reads only the folders on the paths of the changed files. A name that is not
 * UTF-8 is found by its decoded text, in which U+FFFD stands for undecodable bytes.
 */
export class TreeEditor {
  private root: Promise<Folder> | undefined;
  private steps = 0;
  private readableBytes = MAX_READ_BYTES;

  constructor(
    private readonly reader: ObjectReader,
    private readonly tree: Oid | null,
  ) {}

  /** Returns the file or folder at a path, or null. */
  async find(path: string): Promise<FileEntry | null> {
    if (!isFilePath(path)) return null;
    const { folder, name } = await this.walk(path);
    return folder?.entries.get(name) ?? null;
  }

  /** Returns the path that prevents a new file: the path itself, or a file in the position of a parent folder. */
  async obstacle(path: string): Promise<string | null> {
    const { folder, name, blockedAt } = await this.walk(path);
    if (blockedAt !== null) return blockedAt;
    return folder?.entries.has(name) === true ? path : null;
  }

  /** Adds or replaces a file. At its path and in the position of its parents there must be no other obstacle. */
  async put(path: string, { mode, oid }: FileEntry): Promise<void> {
    const parts = await this.partsOf(path);
    const name = parts.pop() as string;
    let folder = await this.top();
    folder.changed = true;
    for (const part of parts) {
      folder = (await this.open(folder, part)) ?? addFolder(folder, part);
      folder.changed = true;
    }
    folder.entries.set(name, { mode, name, oid });
  }

  /** Removes a file, and the folders that become empty. */
  async remove(path: string): Promise<void> {
    const line: { folder: Folder; name: string }[] = [];
    let folder: Folder | null = await this.top();
    for (const name of await this.partsOf(path)) {
      if (folder === null) return;
      line.push({ folder, name });
      folder = await this.open(folder, name);
    }
    if (line.at(-1)?.folder.entries.has(line.at(-1)?.name ?? '') !== true) return;
    for (const [index, at] of line.reverse().entries()) {
      const inside = at.folder.opened.get(at.name);
      at.folder.changed = true;
      if (index > 0 && inside !== undefined && inside.entries.size > 0) continue;
      at.folder.entries.delete(at.name);
      at.folder.opened.delete(at.name);
    }
  }

  /** Returns the id of the changed tree, and adds new objects to `objects`. */
  async write(objects: NewObjects): Promise<Oid> {
    const top = await this.top();
    if (!top.changed && this.tree !== null) return this.tree;
    const root = { oid: '' };
    for (const { folder, entry } of changedFolders(top, root).reverse()) {
      await this.pause();
      entry.oid = await objects.tree([...folder.entries.values()]);
    }
    return root.oid;
  }

  private async walk(
    path: string,
  ): Promise<{ folder: Folder | null; name: string; blockedAt: string | null }> {
    const parts = await this.partsOf(path);
    const name = parts.pop() as string;
    let folder: Folder | null = await this.top();
    for (const [index, part] of parts.entries()) {
      const entry: RawTreeEntry | undefined = folder.entries.get(part);
      if (entry === undefined) return { folder: null, name, blockedAt: null };
      folder = await this.open(folder, part);
      if (folder === null) {
        const blockedAt = path
          .split('/')
          .slice(0, index + 1)
          .join('/');
        return { folder, name, blockedAt };
      }
    }
    return { folder, name, blockedAt: null };
  }

  /** Splits a path into names as the folders store them. */
  private async partsOf(path: string): Promise<string[]> {
    await this.pause();
    const parts = storedParts(path);
    if (!path.includes(REPLACEMENT)) return parts;
    let folder: Folder | null = await this.top();
    for (const [index, part] of parts.entries()) {
      if (folder === null) break;
      const name = await storedName(folder, part);
      parts[index] = name;
      folder = await this.open(folder, name);
    }
    return parts;
  }

  /** Yields to the event loop now and then. Folders that are known are opened without waiting. */
  private async pause(): Promise<void> {
    this.steps += 1;
    if (this.steps % ENTRIES_PER_STEP === 0) await nextTurn();
  }

  private top(): Promise<Folder> {
    this.root ??= this.read(this.tree);
    return this.root;
  }

  private async open(folder: Folder, name: string): Promise<Folder | null> {
    await this.pause();
    const known = folder.opened.get(name);
    if (known !== undefined) return known;
    const entry = folder.entries.get(name);
    if (entry?.mode !== FileMode.TREE) return null;
    const opened = await this.read(entry.oid);
    folder.opened.set(name, opened);
    return opened;
  }

  private async read(oid: Oid | null): Promise<Folder> {
    if (oid === null) return { entries: new Map(), opened: new Map(), changed: false };
    const object = await this.reader.read(oid, { maxBytes: this.readableBytes });
    if (object?.type !== 'tree') throw new ObjectMissingError(oid);
    this.readableBytes -= object.content.length;
    const entries = await parseRawTree(object.content);
    return {
      entries: new Map(entries.map((entry) => [entry.name, entry])),
      opened: new Map(),
      changed: false,
    };
  }
}

function addFolder(parent: Folder, name: string): Folder {
  const folder: Folder = { entries: new Map(), opened: new Map(), changed: true };
  parent.entries.set(name, { mode: FileMode.TREE, name, oid: '' });
  parent.opened.set(name, folder);
  return folder;
}

/**
 * Lists the changed folders with the entries that name them, each before those that it contains. It does not recurse, since
 * trees may be deep.
 */
function changedFolders(
  top: Folder,
  root: { oid: Oid },
): { folder: Folder; entry: { oid: Oid } }[] {
  const found = [{ folder: top, entry: root }];
  for (const { folder } of found) {
    for (const [name, opened] of folder.opened) {
      const entry = folder.entries.get(name);
      if (entry !== undefined && opened.changed) found.push({ folder: opened, entry });
    }
  }
  return found;
}

/** Returns the name of the entry with these bytes, else of the one with this decoded text, else the name itself. */
async function storedName(folder: Folder, name: string): Promise<string> {
  if (folder.entries.has(name)) return name;
  folder.undecodable ??= await undecodableNames(folder);
  const stored = folder.undecodable.get(decoded(name));
  return stored !== undefined && folder.entries.has(stored) ? stored : name;
}

async function undecodableNames({ entries }: Folder): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  let read = 0;
  for (const name of entries.keys()) {
    const text = decoded(name);
    if (text.includes(REPLACEMENT) && !names.has(text)) names.set(text, name);
    read += 1;
    if (read % ENTRIES_PER_STEP === 0) await nextTurn();
  }
  return names;
}

const decoded = (name: string): string => Buffer.from(name, 'latin1').toString('utf8');

/** Whether a path can name a file of a tree. */
function isFilePath(path: string): boolean {
  return isTreePath(path) && !path.endsWith('/');
}

/** Splits a path into components as trees store them: one character for each byte of UTF-8. */
function storedParts(path: string): string[] {
  if (!isFilePath(path)) throw new InvalidArgumentError('Not a file path');
  return Buffer.from(path).toString('latin1').split('/');
}
