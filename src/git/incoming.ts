import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RepositoryLocation } from './runtime.js';

export interface Incoming {
  /** Where new objects lie that nobody else sees. */
  folder: string;
  /** Lets git write its objects there, on top of those of the repository. */
  environment: Record<string, string>;
}

/** Gives git a folder of its own for new objects, which goes when `work` has ended. */
export async function withIncoming<T>(
  location: RepositoryLocation,
  work: (incoming: Incoming) => Promise<T>,
): Promise<T> {
  await location.identity();
  const objects = join(location.path, 'objects');
  // Housekeeping removes what a killed process leaves under such a name.
  const folder = join(objects, `incoming-${randomUUID()}`);
  await mkdir(join(folder, 'pack'), { recursive: true });
  try {
    return await work({
      folder,
      environment: { GIT_OBJECT_DIRECTORY: folder, GIT_ALTERNATE_OBJECT_DIRECTORIES: objects },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
