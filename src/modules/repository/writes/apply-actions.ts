import { FileMode, type FileEntry, type NewObjects, type TreeEditor } from '../../../git/index.js';
import {
  type DomainError,
  invalidParameter,
  ruleViolated,
} from '../../../platform/errors/index.js';
import { decodeContent, type FileAction } from './file-action.js';
import { isFilePath, pathRefusal, withoutLeadingSlash } from './file-paths.js';

/** Of all paths of a commit together; what a commit costs goes with them. */
const MAX_PATH_PARTS = 100_000;

/** An action whose parameters make sense by themselves. */
interface Step {
  action: string;
  path: string;
  previousPath: string;
  content: Buffer | null;
}

/**
 * Reads and checks what needs no repository: names and contents.
 * @throws DomainError with the text of docs/reference/commits.md#post-projectsidrepositorycommits
 * for the first bad action
 */
export function readActions(actions: readonly FileAction[]): Step[] {
  const steps = actions.map(readAction);
  const parts = steps.reduce((sum, { path }) => sum + path.split('/').length, 0);
  if (parts > MAX_PATH_PARTS) throw ruleViolated('There are too many changes for one commit.');
  return steps;
}

function readAction(given: FileAction, index: number): Step {
  const { action, encoding } = given;
  if (!['create', 'update', 'delete', 'move'].includes(action)) {
    throw ruleViolated(`Unknown action type \`${action}\`.`);
  }
  const path = withoutLeadingSlash(given.path ?? '');
  if (path === '') throw ruleViolated('You must specify a file_path.');
  const previousPath = withoutLeadingSlash(given.previousPath ?? '');
  if (action === 'move' && previousPath === '') {
    throw ruleViolated(`You must supply the original file path when moving file \`${path}\`.`);
  }
  if ((action === 'create' || action === 'update') && given.content === undefined) {
    throw invalidParameter(`actions[${String(index)}][content] is missing`);
  }
  const takesContent = action !== 'delete' && given.content !== undefined;
  const content = takesContent ? decodeContent(given.content ?? '', encoding) : null;
  if (takesContent && content === null) throw ruleViolated('content is not valid base64');
  const refusal = refusalOf(action, path, previousPath);
  if (refusal !== null) throw refusal;
  return { action, path, previousPath, content };
}

/** Files that are there may have any name: they can be changed and taken away. */
function refusalOf(action: string, path: string, previousPath: string): DomainError | null {
  const isNew = action === 'create' || action === 'move';
  const sources = isNew ? [previousPath] : [path];
  const traversal = sources.find((source) => source !== '' && !isFilePath(source));
  return traversal === undefined ? (isNew ? pathRefusal(path) : null) : pathRefusal(traversal);
}

/**
 * Makes the steps one after the other; the editor is of no use any more when one is refused.
 * @throws DomainError with the text of docs/reference/commits.md#post-projectsidrepositorycommits
 */
export async function applySteps(
  steps: readonly Step[],
  editor: TreeEditor,
  objects: NewObjects,
): Promise<void> {
  for (const step of steps) await applyStep(step, editor, objects);
}

async function applyStep(step: Step, editor: TreeEditor, objects: NewObjects): Promise<void> {
  const { action, path, content } = step;
  if (action === 'create') return create(path, content as Buffer, editor, objects);
  if (action === 'move') return move(step, editor, objects);
  const entry = await present(path, action === 'update' ? 'updated' : 'deleted', editor);
  if (action === 'delete') return editor.remove(path);
  await editor.put(path, rewritten(entry, content as Buffer, objects));
}

async function create(
  path: string,
  content: Buffer,
  editor: TreeEditor,
  objects: NewObjects,
): Promise<void> {
  const obstacle = await editor.obstacle(path);
  if (obstacle !== null) {
    throw ruleViolated(
      `Your changes could not be committed because a file with the name \`${obstacle}\` already exists.`,
    );
  }
  await editor.put(path, { mode: FileMode.FILE, oid: objects.blob(content) });
}

async function move(step: Step, editor: TreeEditor, objects: NewObjects): Promise<void> {
  const { path, previousPath, content } = step;
  const entry = await present(previousPath, 'moved', editor);
  if ((await editor.find(path)) !== null) throw taken(path);
  await editor.remove(previousPath);
  if ((await editor.obstacle(path)) !== null) throw taken(path);
  await editor.put(path, content === null ? entry : rewritten(entry, content, objects));
}

const taken = (path: string): DomainError =>
  ruleViolated(`Move destination \`${path}\` already exists.`);

/** The mode stays; a submodule's place cannot take a file's content. */
function rewritten(entry: FileEntry, content: Buffer, objects: NewObjects): FileEntry {
  const mode = entry.mode === FileMode.SUBMODULE ? FileMode.FILE : entry.mode;
  return { mode, oid: objects.blob(content) };
}

/** Anything but a folder. */
async function present(path: string, what: string, editor: TreeEditor): Promise<FileEntry> {
  const entry = await editor.find(path);
  if (entry !== null && entry.mode !== FileMode.TREE) return entry;
  throw ruleViolated(`File to be ${what} \`${path}\` does not exist.`);
}
