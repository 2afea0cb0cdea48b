import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { fileErrorText } from '../../../platform/errors/index.js';
import { repositoryFolder } from './hashed-folders.js';

/** A project whose repository is looked for. */
interface LocatedProject {
  readonly id: number;
  readonly fullPath: string;
  readonly storage: string;
  readonly repositoryState: string;
}

/** A repository that the service cannot use. */
export interface UnreachableRepository {
  readonly project: string;
  /** Absent where no storage of that name is configured. */
  readonly path?: string;
  readonly reason: string;
}

const { R_OK, W_OK, X_OK } = constants;

/**
 * Finds those of some repositories that are missing, as all of a storage that is not mounted, or closed to the account of this
 * process. Looks at their folders only.
 * @param roots of the storages, by name
 * @param look waits for a look into a storage; where it fails, the repository is left out
 */
export async function findUnreachable(
  projects: readonly LocatedProject[],
  roots: ReadonlyMap<string, string>,
  look: <T>(storage: string, read: () => Promise<T>) => Promise<T> = (_, read) => read(),
): Promise<UnreachableRepository[]> {
  const found: UnreachableRepository[] = [];
  for (const { id, storage, fullPath: project, repositoryState } of projects) {
    if (repositoryState !== 'ready') continue;
    const root = roots.get(storage);
    if (root === undefined) {
      found.push({ project, reason: `no storage ${storage} is configured` });
      continue;
    }
    const path = repositoryFolder(root, id);
    const reason = await look(storage, () => findReason(path)).catch(() => undefined);
    if (reason !== undefined) found.push({ project, path, reason });
  }
  return found;
}

async function findReason(folder: string): Promise<string | undefined> {
  try {
    await access(folder, R_OK | W_OK | X_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'its repository is missing' : fileErrorText(code);
  }
}
