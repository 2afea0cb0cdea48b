import { stat } from 'node:fs/promises';

/** Whether there is a folder; false also where it cannot be looked at. */
export const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
