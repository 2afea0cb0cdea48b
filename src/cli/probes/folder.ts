import { constants } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** Whether there is a folder; false also where it cannot be looked at. */
export const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() ?? false;

/** Returns a file or folder, in a folder or the folder itself, that the account of this process may not read. */
export async function findInaccessible(folder: string): Promise<string | undefined> {
  try {
    await access(folder, constants.R_OK | constants.X_OK);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const inner = path.join(folder, entry.name);
      const closed = entry.isDirectory()
        ? await findInaccessible(inner)
        : await inaccessibleFile(inner);
      if (closed !== undefined) return closed;
    }
    return undefined;
  } catch (error) {
    return isAccessDenied(error) ? folder : undefined;
  }
}

const inaccessibleFile = (file: string): Promise<string | undefined> =>
  access(file, constants.R_OK).then(
    () => undefined,
    (error: unknown) => (isAccessDenied(error) ? file : undefined),
  );

/** Whether an error says that the account of this process may not do something. */
export function isAccessDenied(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EACCES' || code === 'EPERM';
}
