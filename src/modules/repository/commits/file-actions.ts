import { type FileEntry, FileMode, type NewObjects, type TreeEditor } from '../../../git/index.js';
import type { DomainError } from '../../../platform/errors/index.js';
import { fileActionRefused, fileRefused, pathRefused } from '../shared/refusals.js';

/** The limit of path components of all actions together, which bounds the cost of a commit. */
const MAX_PATH_PARTS = 100_000;
const MAX_PATH_BYTES = 1024;
/** The limit for the path of a file that exists: systems open no file with a longer one. */
const MAX_EXISTING_PATH_BYTES = 4096;
const MAX_NAME_BYTES = 255;

/** Control characters, and halves of characters, which UTF-8 cannot spell. */
const UNWRITABLE = /[\p{Cc}\p{Surrogate}]/u;
/** The name of git's own folder. Git itself refuses what file systems take for it. */
const OF_GIT = /^\.git$/i;

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** A change of a file (`actions[]` of docs/reference/commits.md#post-projectsidrepositorycommits). */
export interface FileAction {
  /** `create`, `update`, `delete`, `move`, or `chmod` with `executable`; other values are refused. */
  action: string;
  path: string | undefined;
  previousPath: string | undefined;
  content: string | undefined;
  encoding: ContentEncoding;
  /** Whether the file can be executed; a new one cannot, and another stays as it is, when absent. */
  executable?: boolean | undefined;
}

export type ContentEncoding = 'text' | 'base64';

/** An action with valid parameters. */
interface FileStep {
  action: string;
  path: string;
  previousPath: string;
  content: Buffer | null;
  /** Undefined keeps it. */
  mode: string | undefined;
}

/**
 * Validates actions as far as the repository is not needed: paths and contents.
 * @throws DomainError for the first bad action (docs/reference/commits.md#post-projectsidrepositorycommits)
 */
export function readActions(actions: readonly FileAction[]): FileStep[] {
  const steps = actions.map(readAction);
  const paths = steps.flatMap(pathsOf);
  const parts = paths.reduce((sum, path) => sum + path.split('/').length, 0);
  if (parts > MAX_PATH_PARTS) throw fileActionRefused({ reason: 'too-many-changes' });
  return steps;
}

const pathsOf = ({ action, path, previousPath }: FileStep): string[] =>
  action === 'move' ? [path, previousPath] : [path];

function readAction(given: FileAction, index: number): FileStep {
  const { action, encoding, executable } = given;
  const isKnown =
    ['create', 'update', 'delete', 'move'].includes(action) ||
    (action === 'chmod' && executable !== undefined);
  if (!isKnown) {
    throw fileActionRefused({ reason: 'unknown-action', action });
  }
  const path = withoutLeadingSlash(given.path ?? '');
  if (path === '') throw fileActionRefused({ reason: 'path-missing' });
  const previousPath = withoutLeadingSlash(given.previousPath ?? '');
  if (action === 'move' && previousPath === '') {
    throw fileActionRefused({ reason: 'previous-path-missing', path });
  }
  if ((action === 'create' || action === 'update') && given.content === undefined) {
    throw fileActionRefused({ reason: 'content-missing', index });
  }
  const takesContent = action !== 'delete' && action !== 'chmod' && given.content !== undefined;
  const content = takesContent ? decodeContent(given.content ?? '', encoding) : null;
  if (takesContent && content === null) throw fileRefused('not-base64');
  const refusal = refusalOf(action, path, previousPath);
  if (refusal !== null) throw refusal;
  return { action, path, previousPath, content, mode: modeOf(executable) };
}

/** Names are checked where they are new, so that a file that exists can be changed, moved and deleted. */
function refusalOf(action: string, path: string, previousPath: string): DomainError | null {
  if (action === 'move') return existingPathRefusal(previousPath) ?? newPathRefusal(path);
  return action === 'create' ? newPathRefusal(path) : existingPathRefusal(path);
}

/**
 * Applies the steps one after the other. When one is refused, the editor must not be used any more.
 * @throws DomainError file action refused, for the first that is
 */
export async function applySteps(
  steps: readonly FileStep[],
  editor: TreeEditor,
  objects: NewObjects,
): Promise<void> {
  for (const step of steps) await applyStep(step, editor, objects);
}

async function applyStep(step: FileStep, editor: TreeEditor, objects: NewObjects): Promise<void> {
  const { action, path, content, mode } = step;
  if (action === 'create') return create(step, editor, objects);
  if (action === 'move') return move(step, editor, objects);
  if (action === 'chmod') return changeMode(path, mode as string, editor);
  const entry = await findEntry(path, action === 'update' ? 'update' : 'delete', editor);
  if (action === 'delete') return editor.remove(path);
  const { oid, mode: kept } = rewritten(entry, content as Buffer, objects);
  await editor.put(path, { oid, mode: mode ?? kept });
}

/** A link or submodule has no mode of its own: it is not a file that can be executed. */
async function changeMode(path: string, mode: string, editor: TreeEditor): Promise<void> {
  const entry = await findEntry(path, 'chmod', editor);
  const isFile = entry.mode === FileMode.FILE || entry.mode === FileMode.EXECUTABLE;
  if (!isFile) throw fileActionRefused({ reason: 'missing', path, action: 'chmod' });
  await editor.put(path, { oid: entry.oid, mode });
}

async function create(
  { path, content, mode = FileMode.FILE }: FileStep,
  editor: TreeEditor,
  objects: NewObjects,
): Promise<void> {
  const obstacle = await editor.obstacle(path);
  if (obstacle !== null) {
    throw fileActionRefused({ reason: 'exists', path: obstacle });
  }
  await editor.put(path, { mode, oid: objects.blob(content as Buffer) });
}

async function move(step: FileStep, editor: TreeEditor, objects: NewObjects): Promise<void> {
  const { path, previousPath, content } = step;
  const entry = await findEntry(previousPath, 'move', editor);
  if ((await editor.find(path)) !== null) throw destinationTaken(path);
  await editor.remove(previousPath);
  if ((await editor.obstacle(path)) !== null) throw destinationTaken(path);
  await editor.put(path, content === null ? entry : rewritten(entry, content, objects));
}

const destinationTaken = (path: string): DomainError =>
  fileActionRefused({ reason: 'destination-exists', path });

/** Keeps the mode, except of a submodule, which is replaced by a file. */
function rewritten(entry: FileEntry, content: Buffer, objects: NewObjects): FileEntry {
  const mode = entry.mode === FileMode.SUBMODULE ? FileMode.FILE : entry.mode;
  return { mode, oid: objects.blob(content) };
}

/** The mode of a file that can be executed, or cannot; undefined when it is not said. */
export function modeOf(executable: boolean | undefined): string | undefined {
  if (executable === undefined) return undefined;
  return executable ? FileMode.EXECUTABLE : FileMode.FILE;
}

/** Finds an entry that is not a folder. */
async function findEntry(
  path: string,
  action: 'chmod' | 'delete' | 'move' | 'update',
  editor: TreeEditor,
): Promise<FileEntry> {
  const entry = await editor.find(path);
  if (entry !== null && entry.mode !== FileMode.TREE) return entry;
  throw fileActionRefused({ reason: 'missing', path, action });
}

/** Decodes content; null for invalid base64. Line breaks in base64 are ignored. */
export function decodeContent(content: string, encoding: ContentEncoding): Buffer | null {
  if (encoding === 'text') return Buffer.from(content);
  const digits = content.replace(/\s+/g, '');
  return BASE64.test(digits) && digits.length % 4 === 0 ? Buffer.from(digits, 'base64') : null;
}

/** Removes leading slashes, which paths in trees do not have. */
export function withoutLeadingSlash(path: string): string {
  return path.replace(/^\/+/, '');
}

/** Returns the error for a path at which no file can be changed; null for others. */
export function existingPathRefusal(path: string): DomainError | null {
  if (Buffer.byteLength(path) > MAX_EXISTING_PATH_BYTES) return pathRefused('too-long');
  return path.split('/').includes('..') ? pathRefused('traversal') : null;
}

/** Returns the error for a path that no new file may have (docs/reference/files.md#names-of-files); null for others. */
export function newPathRefusal(path: string): DomainError | null {
  const refusal = existingPathRefusal(path);
  if (refusal !== null) return refusal;
  const parts = path.split('/');
  if (UNWRITABLE.test(path) || parts.some(isReserved)) {
    return pathRefused('unwritable');
  }
  const isLong = parts.some((part) => Buffer.byteLength(part) > MAX_NAME_BYTES);
  return isLong || Buffer.byteLength(path) > MAX_PATH_BYTES ? pathRefused('too-long') : null;
}

const isReserved = (part: string): boolean => part === '' || part === '.' || OF_GIT.test(part);
