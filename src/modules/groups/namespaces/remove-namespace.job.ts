import { Injectable } from '@nestjs/common';
import {
  defineJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
  RetryJobLaterError,
} from '../../../platform/queue/index.js';
import { NamespacesRepository } from './namespaces.repository.js';

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 10 * 60_000;

interface RemoveNamespacePayload {
  namespaceId: number;
}

/** Removes the row of a deleted namespace. */
export const removeNamespace = defineJob<RemoveNamespacePayload>('groups', 'remove-namespace', {
  // Waits for the jobs that remove the projects: about a week at the longest interval.
  attempts: 1_000,
});

/** Removes the row last, because the jobs that remove the namespace's projects refer to it. */
@Injectable()
@HandlesJob(removeNamespace)
export class RemoveNamespaceJob implements JobHandler<RemoveNamespacePayload> {
  constructor(private readonly namespaces: NamespacesRepository) {}

  async handle({ namespaceId }: RemoveNamespacePayload, { attempt }: JobContext): Promise<void> {
    if (await this.namespaces.remove(namespaceId)) return;
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS);
    throw new RetryJobLaterError('The namespace still holds projects', delayMs);
  }
}
