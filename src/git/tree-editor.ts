import { InvalidArgumentError, ObjectMissingError } from './errors.js';
import { isTreePath } from './names.js';
import { FileMode, type NewObjects, type RawTreeEntry } from './new-objects.js';
import type { ObjectReader } from './object-reader.js';
import { parseRawTree } from './raw-tree.js';
import type { Oid } from './types.js';

/** A folder of this size has a million entries. */
const MAX_TREE_BYTES = 64 * 1024 * 1024;

export type FileEntry = Pick<RawTreeEntry, 'mode' | 'oid'>;

/** A folder that was looked into; the others stay what their ids say. */
interface Folder {
  entries: Map<string, RawTreeEntry>;
  opened: Map<string, Folder>;
  changed: boolean;
}

/** Changes of files below one tree, in memory; reads only the folders on the way to them. */
export class TreeEditor {
  private root: Promise<Folder> | undefined;

  constructor(
    private readonly reader: ObjectReader,
    private readonly tree: Oid | null,
  ) {}

  /** What lies at a path, folders included; null when nothing does. */
  async find(path: string): Promise<FileEntry | null> {
    const { folder, name } = await this.walk(path);
    return folder?.entries.get(name) ?? null;
  }

  /** The path itself when something lies there, or the file that stands where a folder would have to. */
  async obstacle(path: string): Promise<string | null> {
    const { folder, name, blockedAt } = await this.walk(path);
    if (blockedAt !== null) return blockedAt;
    return folder?.entries.has(name) === true ? path : null;
  }

  /** Puts a file; nothing but a file may be where it goes, nor on the way. */
  async put(path: string, { mode, oid }: FileEntry): Promise<void> {
    const parts = partsOf(path);
    const name = parts.pop() as string;
    let folder = await this.top();
    folder.changed = true;
    for (const part of parts) {
      folder = (await this.open(folder, part)) ?? addFolder(folder, part);
      folder.changed = true;
    }
    folder.entries.set(name, { mode, name, oid });
  }

  /** Takes a file away, and the folders that become empty by it. */
  async remove(path: string): Promise<void> {
    const line: { folder: Folder; name: string }[] = [];
    let folder: Folder | null = await this.top();
    for (const name of partsOf(path)) {
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

  /** The id of the changed tree; what is new of it is added to `objects`. */
  async write(objects: NewObjects): Promise<Oid> {
    const top = await this.top();
    return !top.changed && this.tree !== null ? this.tree : writeFolder(top, objects);
  }

  private async walk(
    path: string,
  ): Promise<{ folder: Folder | null; name: string; blockedAt: string | null }> {
    const parts = partsOf(path);
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

  private top(): Promise<Folder> {
    this.root ??= this.read(this.tree);
    return this.root;
  }

  private async open(folder: Folder, name: string): Promise<Folder | null> {
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
    const object = await this.reader.read(oid, { maxBytes: MAX_TREE_BYTES });
    if (object?.type !== 'tree') throw new ObjectMissingError(oid);
    const entries = new Map(parseRawTree(object.content).map((entry) => [entry.name, entry]));
    return { entries, opened: new Map(), changed: false };
  }
}

function addFolder(parent: Folder, name: string): Folder {
  const folder: Folder = { entries: new Map(), opened: new Map(), changed: true };
  parent.entries.set(name, { mode: FileMode.TREE, name, oid: '' });
  parent.opened.set(name, folder);
  return folder;
}

function writeFolder(folder: Folder, objects: NewObjects): Oid {
  for (const [name, opened] of folder.opened) {
    const entry = folder.entries.get(name);
    if (entry !== undefined && opened.changed) entry.oid = writeFolder(opened, objects);
  }
  return objects.tree([...folder.entries.values()]);
}

/** The components of a path as trees spell them: the bytes of UTF-8, one character each. */
function partsOf(path: string): string[] {
  if (!isTreePath(path) || path.endsWith('/')) throw new InvalidArgumentError('Not a file path');
  return Buffer.from(path).toString('latin1').split('/');
}
