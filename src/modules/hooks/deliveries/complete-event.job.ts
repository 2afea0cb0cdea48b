import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  defineJob,
  exponentialBackoff,
  HandlesJob,
  type JobContext,
  type JobHandler,
  type JobRequest,
  Outbox,
} from '../../../platform/queue/index.js';
import { HookPayloads } from '../payloads/hook-payloads.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { firstAttempt } from './deliver-hook.job.js';

interface CompletePayload {
  eventId: string;
  /** Of the hooks; null for system hooks. */
  projectId: number | null;
}

/** A job of its own, since workers of an older version would deliver what is not complete. */
const completion = defineJob<CompletePayload>('hooks', 'complete-event', {
  fair: true,
  // As for deliveries: it fails for good only while the service itself is in trouble.
  attempts: 1_000,
  backoff: exponentialBackoff(1_000, 60_000),
});

/** After so many attempts, about two minutes, an event is delivered without its commit. */
const MOST_READS = 7;

/** The job that reads what git knows of an event, and then has it delivered. */
export function completeEvent(eventId: string, projectId: number | null): JobRequest {
  const fairnessKey = `project ${String(projectId)}`;
  return completion.with({ eventId, projectId }, { fairnessKey });
}

/** Completes the payload of an event outside of the transaction that caused it, which would wait for git. */
@Injectable()
@HandlesJob(completion)
export class CompleteEventJob implements JobHandler<CompletePayload> {
  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly payloads: HookPayloads,
    private readonly work: UnitOfWork,
    private readonly outbox: Outbox,
  ) {}

  async handle({ eventId, projectId }: CompletePayload, { attempt }: JobContext): Promise<void> {
    const event = await this.deliveries.findIncomplete(eventId);
    if (event !== undefined) {
      const readFrom = attempt > MOST_READS ? null : projectId;
      const payload = await this.payloads.complete(event.kind, event.payload, readFrom);
      await this.deliveries.storeBody(eventId, JSON.stringify(payload));
    }
    await this.work.run(async () => {
      if (!(await this.outbox.takeOver(completeEvent(eventId, projectId)))) return;
      const deliveries = await this.deliveries.findUnattempted(eventId);
      await this.outbox.addAll(deliveries.map((delivery) => firstAttempt(delivery, projectId)));
    });
  }
}
