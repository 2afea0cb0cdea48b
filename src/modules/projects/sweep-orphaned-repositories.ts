import { type Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobHandler } from '../../platform/queue/index.js';
import { ProjectStorage } from './project-storage.js';
import { sweepOrphanedRepositories } from './project.jobs.js';
import { ProjectsRepository } from './projects.repository.js';

/** Younger repositories may belong to a creation that has yet to commit. */
const MIN_AGE_MS = 60 * 60 * 1000;
const BATCH = 500;

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
      const ids: number[] = [];
      for await (const id of oldRepositories(root)) {
        ids.push(id);
        if (ids.length === BATCH) await this.removeOrphans(ids.splice(0), storage);
      }
      await this.removeOrphans(ids, storage);
    }
  }

  private async removeOrphans(ids: readonly number[], storage: string): Promise<void> {
    const existing = await this.projects.existing(ids);
    for (const id of ids) {
      if (!existing.has(id)) await this.storage.remove({ id, storage });
    }
  }
}

async function* oldRepositories(root: string): AsyncGenerator<number> {
  const limit = Date.now() - MIN_AGE_MS;
  const hashed = path.join(root, '@hashed');
  for (const outer of await entries(hashed)) {
    for (const inner of await entries(path.join(hashed, outer))) {
      const folder = path.join(hashed, outer, inner);
      for (const name of await entries(folder)) {
        const id = /^(\d+)\.git$/.exec(name)?.[1];
        const found =
          id === undefined ? null : await stat(path.join(folder, name)).catch(() => null);
        if (found !== null && found.ctimeMs < limit) yield Number(id);
      }
    }
  }
}

async function entries(folder: string): Promise<string[]> {
  const found: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return found.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
