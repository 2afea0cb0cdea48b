import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { GitTimeoutError } from '../model/errors.js';
import type { Oid } from '../model/types.js';
import { type GitCommand, gitCommands } from '../process/command-table.js';
import type { RepositoryLocation } from '../storage/repository-location.js';
import { EMPTY_TREE } from './diffs.js';

/** The longest time that a text may take, in milliseconds. */
const LIMIT_MS = 10 * 60_000;

/**
 * How changes are written: as one `diff`, or as `mails`, one for each commit that is no merge, which `git am` takes.
 */
export type PatchForm = 'diff' | 'mails';

export interface PatchOptions {
  /** Null stands for the empty tree, and for the beginning of history. */
  from: Oid | null;
  to: Oid;
  form: PatchForm;
}

/**
 * Opens the text of the changes between two commits, of any size, with binary files. The stream has to be read or
 * destroyed. Each text has its own process; the caller has to limit their number.
 */
export async function openPatch(
  location: RepositoryLocation,
  options: PatchOptions,
): Promise<Readable> {
  await location.identity();
  const command = commandOf(location.path, options);
  const text = location.openReader(command);
  const timer = setTimeout(() => {
    text.destroy(new GitTimeoutError(command.name, LIMIT_MS));
  }, LIMIT_MS);
  text.once('close', () => clearTimeout(timer));
  // So that an immediate failure is reported as an error, not as a broken stream.
  if (text.readableLength === 0) await location.unlessRemoved(once(text, 'readable'));
  return text;
}

function commandOf(path: string, { from, to, form }: PatchOptions): GitCommand {
  return form === 'diff'
    ? gitCommands.diffText(path, from ?? EMPTY_TREE, to)
    : gitCommands.patchMails(path, from, to);
}
