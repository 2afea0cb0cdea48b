import { createHash } from 'node:crypto';

/** An element of `actions[]` as it is sent. */
export interface ModelAction {
  action: 'create' | 'update' | 'delete' | 'move';
  file_path: string;
  previous_path?: string;
  content?: string;
}

export interface ModelFile {
  /** Six digits. */
  mode: string;
  content: string;
}

/** The files of a branch by their paths, which says everything about its folders. */
export type ModelTree = ReadonlyMap<string, ModelFile>;

const NEW_FILE = '100644';

/** What a commit of these actions leaves, or null where one of them must be refused. */
export function afterActions(tree: ModelTree, actions: readonly ModelAction[]): ModelTree | null {
  let files: ModelTree | null = tree;
  for (const action of actions) files = files === null ? null : afterAction(files, action);
  return files;
}

function afterAction(tree: ModelTree, given: ModelAction): ModelTree | null {
  const { action, file_path: path, previous_path: previous = '', content } = given;
  const files = new Map(tree);
  const source = files.get(action === 'move' ? previous : path);
  if (action === 'create') {
    return isFree(files, path) ? files.set(path, { mode: NEW_FILE, content: content ?? '' }) : null;
  }
  if (source === undefined) return null;
  if (action === 'update') return files.set(path, { ...source, content: content ?? '' });
  if (action === 'move') {
    if (files.has(path) || isFolder(files, path)) return null;
    files.delete(previous);
    const moved = { ...source, content: content ?? source.content };
    return isFree(files, path) ? files.set(path, moved) : null;
  }
  files.delete(path);
  return files;
}

/** Neither file nor folder lies there, and no file stands where a folder would have to. */
function isFree(files: ModelTree, path: string): boolean {
  const parts = path.split('/');
  const above = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  return !isFolder(files, path) && !above.some((place) => files.has(place));
}

function isFolder(files: ModelTree, path: string): boolean {
  return [...files.keys()].some((file) => file.startsWith(`${path}/`));
}

/** As `git ls-tree -r -z` lists it, in no order. */
export function listedFiles(tree: ModelTree): string[] {
  return [...tree].map(([path, { mode, content }]) => {
    const bytes = Buffer.from(content);
    const id = createHash('sha1')
      .update(`blob ${String(bytes.length)}\0`)
      .update(bytes);
    return `${mode} blob ${id.digest('hex')}\t${path}`;
  });
}
