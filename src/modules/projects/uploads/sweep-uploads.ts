import { Injectable } from '@nestjs/common';
import { HandlesJob, type JobContext, type JobHandler } from '../../../platform/queue/index.js';
import { ProjectsRepository } from '../projects.repository.js';
import { ProjectUploads } from './project-uploads.js';
import { sweepUploads } from './upload.jobs.js';

/** Longer than a client may take to send a body. */
const MIN_AGE_MS = 60 * 60 * 1000;

@Injectable()
@HandlesJob(sweepUploads)
export class SweepUploads implements JobHandler {
  constructor(
    private readonly uploads: ProjectUploads,
    private readonly projects: ProjectsRepository,
  ) {}

  async handle(_payload: object, { signal }: JobContext): Promise<void> {
    await this.uploads.removeAbandoned(MIN_AGE_MS);
    for await (const ids of this.uploads.projects()) {
      signal.throwIfAborted();
      const existing = await this.projects.existing(ids);
      // A file that arrived while its project was purged.
      for (const id of ids) if (!existing.has(id)) await this.uploads.remove(id);
    }
  }
}
