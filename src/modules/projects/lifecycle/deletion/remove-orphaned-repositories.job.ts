import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import {
  defineRecurringJob,
  HandlesJob,
  type JobHandler,
} from '../../../../platform/queue/index.js';
import { ProjectsRepository } from '../../model/projects.repository.js';
import {
  foldersIn,
  hashedFolders,
  ProjectStorage,
  type StoredProject,
} from '../../../storage/index.js';

/** Younger repositories may belong to a creation that is not committed yet. */
const MIN_AGE_MS = 60 * 60 * 1000;

/** Removes repositories without a project, once a day. */
const removeOrphanedRepositories = defineRecurringJob({
  queue: 'projects',
  name: 'sweep-orphaned-repositories',
  everyMs: 24 * 60 * 60 * 1000,
  timeLimitMs: 60 * 60_000,
});

/** Removes repositories whose projects were never committed, since the process died during the creation. */
@Injectable()
@HandlesJob(removeOrphanedRepositories)
export class RemoveOrphanedRepositoriesJob implements JobHandler {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly storage: ProjectStorage,
  ) {}

  async handle(): Promise<void> {
    for await (const { storage, folder } of this.folders()) {
      await this.storage.removeLeftovers(folder);
      for (const orphan of await this.orphansIn(folder, storage)) await this.remove(orphan);
    }
  }

  /** Yields what the job would remove. */
  async *findOrphans(): AsyncGenerator<StoredProject> {
    for await (const { storage, folder } of this.folders()) {
      yield* await this.orphansIn(folder, storage);
    }
  }

  /**
   * Removes the repository of a project that does not exist.
   * @returns false while housekeeping works in it; a later run removes it
   */
  remove(orphan: StoredProject): Promise<boolean> {
    return this.storage.remove(orphan);
  }

  private async *folders(): AsyncGenerator<{ storage: string; folder: string }> {
    for (const [storage, root] of this.storage.storages) {
      for await (const folder of hashedFolders(root)) yield { storage, folder };
    }
  }

  private async orphansIn(folder: string, storage: string): Promise<StoredProject[]> {
    const ids = await oldRepositories(folder);
    if (ids.length === 0) return [];
    const existing = await this.projects.findExistingIds(ids);
    return ids.filter((id) => !existing.has(id)).map((id) => ({ id, storage }));
  }
}

/** Lists the project IDs of the repositories in a folder that have not changed for an hour. */
async function oldRepositories(folder: string): Promise<number[]> {
  const limit = Date.now() - MIN_AGE_MS;
  const ids: number[] = [];
  for (const name of await foldersIn(folder)) {
    const id = /^(\d+)\.git$/.exec(name)?.[1];
    const found = id === undefined ? null : await stat(path.join(folder, name)).catch(() => null);
    if (found !== null && found.ctimeMs < limit) ids.push(Number(id));
  }
  return ids;
}
