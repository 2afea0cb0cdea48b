import { Injectable } from '@nestjs/common';
import { Batches } from '../../../platform/async/index.js';
import { Config } from '../../../platform/config/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Outbox } from '../../../platform/queue/index.js';
import { HooksRepository } from '../hooks.repository.js';
import {
  type Attempt,
  DeliveriesRepository,
  type DueDelivery,
  type FailedAttempt,
  type PostponedDelivery,
  type RetryDecision,
  turnKey,
} from './deliveries.repository.js';
import { deliverHookLater } from './hook.jobs.js';
import { type AttemptResult, type FailedResult, hasFailed } from './http-sender.js';
import { retryDelayMs } from './retry-delay.js';

/**
 * Records attempts together with the job of the next one, in one transaction: whenever a process is killed,
 * the delivery is either at its old turn or at the next, and has a job for it.
 */
@Injectable()
export class AttemptRecorder {
  private readonly postponed = new Batches<PostponedDelivery, undefined>({
    key: turnKey,
    answer: (deliveries) => this.postponeAll(deliveries),
  });

  constructor(
    private readonly work: UnitOfWork,
    private readonly deliveries: DeliveriesRepository,
    private readonly hooks: HooksRepository,
    private readonly outbox: Outbox,
    private readonly config: Config,
  ) {}

  async record(attempt: Attempt, result: AttemptResult): Promise<void> {
    // A success adds no job, so it needs no transaction of its own and can share a statement.
    if (!hasFailed(result)) return this.deliveries.recordSuccess({ ...attempt, result });
    await this.work.run(() => this.recordFailure({ ...attempt, result }));
  }

  /** Moves a delivery to a later turn without an attempt. Concurrent calls share a transaction. */
  async postpone({ id, turn }: DueDelivery, delayMs: number): Promise<void> {
    await this.postponed.ask({ id, turn, delayMs });
  }

  private async recordFailure(attempt: FailedAttempt): Promise<void> {
    const { delivery } = attempt;
    const decision = await this.decide(attempt);
    const result = explained(attempt.result, decision);
    if (!(await this.deliveries.recordFailure({ ...attempt, result }, decision))) return;
    const { disables, delayMs } = decision;
    if (disables !== null) await this.hooks.disable(delivery.hookId, disables);
    if (delayMs !== null) {
      const next = { deliveryId: delivery.id, turn: delivery.turn + 1 };
      await this.outbox.add(deliverHookLater.with(next, { delayMs }));
    }
  }

  private async decide({ delivery, result }: FailedAttempt): Promise<RetryDecision> {
    const isHopeless = await this.hooks.recordFailure(delivery.hookId);
    if (result.failure.cause === 'gone') {
      return { state: 'failed', delayMs: null, disables: 'gone' };
    }
    if (isHopeless) return { state: 'failed', delayMs: null, disables: 'failing' };
    const schedule = this.config.webhookRetrySeconds;
    const delayMs = retryDelayMs(schedule, delivery.attempts + 1, result);
    return { state: delayMs === null ? 'failed' : 'pending', delayMs, disables: null };
  }

  private postponeAll(deliveries: readonly PostponedDelivery[]): Promise<undefined[]> {
    return this.work.run(async () => {
      const moved = await this.deliveries.postpone(deliveries);
      const jobs = moved.map(({ id, turn, delayMs }) =>
        deliverHookLater.with({ deliveryId: id, turn }, { delayMs }),
      );
      await this.outbox.addAll(jobs);
      return deliveries.map(() => undefined);
    });
  }
}

/** Adds to the failure's message that the hook was disabled, when it was. */
function explained(result: FailedResult, { disables }: RetryDecision): FailedResult {
  if (disables !== 'failing') return result;
  const message = `${result.failure.message}; the hook is disabled after three days without a success`;
  return { ...result, failure: { ...result.failure, message } };
}
