import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { RoomDiscovery } from '../../../platform/discovery/index.js';
import {
  defineJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
  RetryJobLaterError,
} from '../../../platform/queue/index.js';
import { DeletionsRepository } from './deletions.repository.js';
import { type EraseChunk, Erases } from './erases-account-data.js';

const FIRST_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 5 * 60_000;

interface EraseAccountPayload {
  userId: number;
}

/** Erases a deleted account. Waits for the projects of the personal namespace, hence the attempts. */
export const eraseAccount = defineJob<EraseAccountPayload>('users', 'erase-account', {
  attempts: 1_000,
  timeLimitMs: 10 * 60_000,
});

/** One kind of data that a deleted account leaves behind. */
export interface ErasureStep {
  /** The method that carries it out, for the log. */
  readonly name: string;
  readonly run: EraseChunk;
}

/**
 * Erases deleted accounts. All rooms have steps, which are discovered: this one knows nothing of their tables. Runs
 * them one after the other, then removes the account's row. Each chunk commits on its own; after an interruption the
 * next attempt continues with what is left.
 */
@Injectable()
@HandlesJob(eraseAccount)
export class AccountErasure implements OnModuleInit, JobHandler<EraseAccountPayload> {
  private readonly logger = new Logger(AccountErasure.name);
  private discovered: readonly ErasureStep[] = [];

  constructor(
    private readonly discovery: RoomDiscovery,
    private readonly work: UnitOfWork,
    private readonly deletions: DeletionsRepository,
  ) {}

  onModuleInit(): void {
    const methods = this.discovery.methods<object, EraseChunk>(Erases);
    this.discovered = methods.map(({ name, call: run }) => ({ name, run }));
  }

  get steps(): readonly ErasureStep[] {
    return this.discovered;
  }

  async handle({ userId }: EraseAccountPayload, context: JobContext): Promise<void> {
    if (!(await this.deletions.isHidden(userId))) return;
    const ghostId = await this.deletions.findOrCreateGhost();
    for (const step of this.steps) {
      await this.runStep(step, userId, ghostId, context.signal);
    }
    if (await this.deletions.remove(userId)) return;
    const delayMs = Math.min(FIRST_DELAY_MS * context.attempt, LONGEST_DELAY_MS);
    throw new RetryJobLaterError('Other rows still refer to the deleted account', delayMs);
  }

  private async runStep(
    step: ErasureStep,
    userId: number,
    ghostId: number,
    signal: AbortSignal,
  ): Promise<void> {
    let hasMore = true;
    while (hasMore) {
      signal.throwIfAborted();
      hasMore = await this.work.run(() => step.run(userId, ghostId));
    }
    this.logger.debug(`Erased of account ${String(userId)}: ${step.name}`);
  }
}
