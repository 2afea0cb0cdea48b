import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  HandlesJob,
  type JobContext,
  type JobHandler,
  RetryJobLaterError,
} from '../../../platform/queue/index.js';
import { AccountErasure, type ErasureStep } from './account-erasure.js';
import { eraseAccount, type EraseAccountPayload } from './deletion.jobs.js';
import { DeletionsRepository } from './deletions.repository.js';
import { Ghost } from './ghost.js';

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 5 * 60_000;

/** Each chunk commits on its own; whatever interrupts it, the next attempt takes up what is left. */
@Injectable()
@HandlesJob(eraseAccount)
export class EraseAccount implements JobHandler<EraseAccountPayload> {
  private readonly logger = new Logger(EraseAccount.name);

  constructor(
    private readonly work: UnitOfWork,
    private readonly erasure: AccountErasure,
    private readonly deletions: DeletionsRepository,
    private readonly ghost: Ghost,
  ) {}

  async handle({ userId }: EraseAccountPayload, context: JobContext): Promise<void> {
    if (!(await this.deletions.isHidden(userId))) return;
    const ghostId = await this.ghost.id();
    for (const step of this.erasure.steps) {
      await this.exhaust(step, userId, ghostId, context.signal);
    }
    if (await this.deletions.remove(userId)) return;
    const delayMs = Math.min(FIRST_WAIT_MS * context.attempt, LONGEST_WAIT_MS);
    throw new RetryJobLaterError('Something still belongs to the deleted account', delayMs);
  }

  private async exhaust(
    step: ErasureStep,
    userId: number,
    ghostId: number,
    signal: AbortSignal,
  ): Promise<void> {
    let more = true;
    while (more) {
      signal.throwIfAborted();
      more = await this.work.run(() => step.run(userId, ghostId));
    }
    this.logger.debug(`Of account ${String(userId)} erased: ${step.name}`);
  }
}
