import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/index.js';
import {
  defineJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
  RetryJobLaterError,
} from '../../../platform/queue/index.js';
import { allows } from '../../authorization/index.js';
import { ActingUsers } from '../../users/index.js';
import { MergeRequestsRepository } from '../model/merge-requests.repository.js';
import { type AcceptInput, AcceptService } from './accept.service.js';
import { isPermanent } from './merge-when-build-succeeds.job.js';

/** The merge that a note asks for by `/merge`. */
interface MergeByQuickAction {
  readonly mergeRequestId: number;
  /** The author of the note. */
  readonly userId: number;
  /** The head that the author has seen. */
  readonly sha: string;
}

/** The attempts for a request that cannot be merged, and the delay between them. */
const ATTEMPTS = 3;
const RETRY_DELAY_MS = 1_000;

/** Merges a request because of a note; see docs/decisions/0077-quick-actions.md. */
export const mergeByQuickAction = defineJob<MergeByQuickAction>(
  'merge-requests',
  'merge-by-quick-action',
  { attempts: 10, timeLimitMs: 5 * 60_000 },
);

/** Returns what a note asks for: the merge of a head, as soon as all checks pass. */
export const acceptInputFor = (sha: string): AcceptInput => ({
  message: null,
  squashMessage: null,
  removeSourceBranch: null,
  whenBuildSucceeds: true,
  mergesWithoutBuild: true,
  sha,
});

/** Merges with the rights that the author of the note has now. Does nothing when run again, since the request is merged then. */
@Injectable()
@HandlesJob(mergeByQuickAction)
export class MergeByQuickActionJob implements JobHandler<MergeByQuickAction> {
  constructor(
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly users: ActingUsers,
    private readonly accepting: AcceptService,
  ) {}

  async handle(
    { mergeRequestId, userId, sha }: MergeByQuickAction,
    { attempt }: Pick<JobContext, 'attempt'>,
  ): Promise<void> {
    const [request] = await this.mergeRequests.findHeads([mergeRequestId]);
    const merger = request && (await this.users.findOnProject(userId, request.projectId));
    if (!merger || !allows(merger.access, 'merge-request:accept')) return;
    const { archived, mergeRequestsEnabled } = merger.access.project;
    if (archived || !mergeRequestsEnabled) return;
    try {
      await this.accepting.accept(merger, mergeRequestId, acceptInputFor(sha));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (isPermanent(error) || attempt >= ATTEMPTS) return;
      throw new RetryJobLaterError('The merge request cannot be merged now', RETRY_DELAY_MS);
    }
  }
}
