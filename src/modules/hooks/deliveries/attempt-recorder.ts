import { Injectable } from '@nestjs/common';
import { Batches } from '../../../platform/async/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Outbox } from '../../../platform/queue/index.js';
import { DeliveriesRepository, type Postponed } from './deliveries.repository.js';
import { type AttemptOutcome, type FailedOutcome, hasFailed } from './delivery-attempt.js';
import { type DueDelivery, turnKey, type Verdict } from './due-delivery.js';
import { deliverHookLater } from './hook.jobs.js';
import { HookHealthRepository } from './hook-health.repository.js';
import { RetryPlan } from './retry-plan.js';

/** What was attempted, and when. */
export interface Attempt {
  readonly delivery: DueDelivery;
  readonly at: Date;
  readonly requestHeaders: Readonly<Record<string, string>>;
}

/**
 * Records what became of a delivery together with the job that tries it again: whatever is killed, there
 * is either the old turn or the next.
 */
@Injectable()
export class AttemptRecorder {
  private readonly postponed = new Batches<Postponed, undefined>({
    key: turnKey,
    answer: (given) => this.postponeAll(given),
  });

  constructor(
    private readonly work: UnitOfWork,
    private readonly deliveries: DeliveriesRepository,
    private readonly health: HookHealthRepository,
    private readonly plan: RetryPlan,
    private readonly outbox: Outbox,
  ) {}

  async record(attempt: Attempt, outcome: AttemptOutcome): Promise<void> {
    const { delivery } = attempt;
    // No job follows, so that it needs no transaction of its own and may share a statement.
    if (!hasFailed(outcome)) return this.deliveries.recordSuccess({ ...attempt, outcome });
    await this.work.run(async () => {
      const verdict = await this.judge(delivery, outcome);
      if (!(await this.deliveries.record({ ...attempt, ...toldBy(verdict, outcome) }))) return;
      if (verdict.disables !== null) await this.health.disable(delivery.hookId, verdict.disables);
      if (verdict.delayMs !== null) await this.tryLater(delivery, verdict.delayMs);
    });
  }

  /** Sends a delivery away without an attempt: many that are at the same moment, together. */
  async postpone({ id, turn }: DueDelivery, delayMs: number): Promise<void> {
    await this.postponed.ask({ id, turn, delayMs });
  }

  private postponeAll(given: readonly Postponed[]): Promise<undefined[]> {
    return this.work.run(async () => {
      const moved = await this.deliveries.postpone(given);
      const jobs = moved.map(({ id, turn, delayMs }) =>
        deliverHookLater.with({ deliveryId: id, turn }, { delayMs }),
      );
      await this.outbox.addAll(jobs);
      return given.map(() => undefined);
    });
  }

  private async judge(delivery: DueDelivery, outcome: FailedOutcome): Promise<Verdict> {
    const { hookId, attempts } = delivery;
    const isHopeless = await this.health.failed(hookId);
    if (outcome.failure.cause === 'gone') {
      return { state: 'failed', delayMs: null, disables: 'gone' };
    }
    if (isHopeless) return { state: 'failed', delayMs: null, disables: 'failing' };
    const delayMs = this.plan.delayAfter(attempts + 1, outcome);
    return { state: delayMs === null ? 'failed' : 'pending', delayMs, disables: null };
  }

  private async tryLater({ id, turn }: DueDelivery, delayMs: number): Promise<void> {
    await this.outbox.add(deliverHookLater.with({ deliveryId: id, turn: turn + 1 }, { delayMs }));
  }
}

/** The log says why a hook was disabled, where that happened. */
function toldBy(
  verdict: Verdict,
  outcome: FailedOutcome,
): { verdict: Verdict; outcome: FailedOutcome } {
  const { failure } = outcome;
  if (verdict.disables !== 'failing') return { verdict, outcome };
  const message = `${failure.message}; the hook is disabled after three days without a success`;
  return { verdict, outcome: { ...outcome, failure: { ...failure, message } } };
}
