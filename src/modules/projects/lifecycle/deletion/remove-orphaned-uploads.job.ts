import { Injectable } from '@nestjs/common';
import {
  defineRecurringJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
} from '../../../../platform/queue/index.js';
import { ProjectsRepository } from '../../model/projects.repository.js';
import { UploadStorage } from '../../../storage/index.js';

/** Longer than a client may take to send a body. */
const MIN_AGE_MS = 60 * 60 * 1000;

/** Removes uploads without a project, and those that were never received completely, once a day. */
const removeOrphanedUploads = defineRecurringJob({
  queue: 'projects',
  name: 'sweep-uploads',
  everyMs: 24 * 60 * 60 * 1000,
  timeLimitMs: 60 * 60_000,
});

@Injectable()
@HandlesJob(removeOrphanedUploads)
export class RemoveOrphanedUploadsJob implements JobHandler {
  constructor(
    private readonly uploads: UploadStorage,
    private readonly projects: ProjectsRepository,
  ) {}

  async handle(_payload: object, { signal }: JobContext): Promise<void> {
    await this.uploads.removeAbandoned(MIN_AGE_MS);
    for await (const id of this.findOrphans()) {
      signal.throwIfAborted();
      await this.remove(id);
    }
  }

  /** Yields the IDs of projects that have uploads and do not exist: a file may have been received during a purge. */
  async *findOrphans(): AsyncGenerator<number> {
    for await (const ids of this.uploads.projects()) {
      const existing = await this.projects.findExistingIds(ids);
      yield* ids.filter((id) => !existing.has(id));
    }
  }

  /** Removes the uploads of a project that does not exist. */
  remove(projectId: number): Promise<void> {
    return this.uploads.remove(projectId);
  }
}
