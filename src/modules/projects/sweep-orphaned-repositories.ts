import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobHandler } from '../../platform/queue/index.js';
import { foldersIn, hashedFolders } from './hashed-folders.js';
import { ProjectStorage } from './project-storage.js';
import { sweepOrphanedRepositories } from './project.jobs.js';
import { ProjectsRepository } from './projects.repository.js';

/** Younger repositories may belong to a creation that has yet to commit. */
const MIN_AGE_MS = 60 * 60 * 1000;

/** Removes repositories of projects that were never committed: a process died while making them. */
@Injectable()
@HandlesJob(sweepOrphanedRepositories)
export class SweepOrphanedRepositories implements JobHandler {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly storage: ProjectStorage,
  ) {}

  async handle(): Promise<void> {
    for (const [storage, root] of this.storage.storages) {
      for await (const folder of hashedFolders(root)) {
        await this.storage.removeLeftovers(folder);
        await this.removeOrphans(await oldRepositories(folder), storage);
      }
    }
  }

  private async removeOrphans(ids: readonly number[], storage: string): Promise<void> {
    if (ids.length === 0) return;
    const existing = await this.projects.existing(ids);
    for (const id of ids) {
      if (!existing.has(id)) await this.storage.remove({ id, storage });
    }
  }
}

/** The project IDs of the repositories in a folder that nothing has happened to for a while. */
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
