import { Injectable } from '@nestjs/common';
import {
  defineRecurringJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
} from '../../../../platform/queue/index.js';
import { ProjectsRepository } from '../../model/projects.repository.js';
import { UploadStorage } from '../upload-storage.js';

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
    for await (const ids of this.uploads.projects()) {
      signal.throwIfAborted();
      const existing = await this.projects.findExistingIds(ids);
      // A file may have been received while its project was purged.
      for (const id of ids) if (!existing.has(id)) await this.uploads.remove(id);
    }
  }
}
