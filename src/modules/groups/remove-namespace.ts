import { Injectable } from '@nestjs/common';
import {
  HandlesJob,
  type JobContext,
  type JobHandler,
  RetryJobLaterError,
} from '../../platform/queue/index.js';
import { removeNamespace } from './group.jobs.js';
import { NamespacesRepository } from './namespaces.repository.js';

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 10 * 60_000;

/** The row goes last: the jobs that purge the namespace's projects refer to it. */
@Injectable()
@HandlesJob(removeNamespace)
export class RemoveNamespace implements JobHandler<{ namespaceId: number }> {
  constructor(private readonly namespaces: NamespacesRepository) {}

  async handle({ namespaceId }: { namespaceId: number }, { attempt }: JobContext): Promise<void> {
    if (await this.namespaces.purge(namespaceId)) return;
    const delay = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS);
    throw new RetryJobLaterError('The namespace still holds projects', delay);
  }
}
