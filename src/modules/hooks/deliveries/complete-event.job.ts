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
import type { HookVersion } from '../model/hook.entity.js';
import { PayloadVersions } from '../payloads/hook-payloads.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { firstAttempt } from './deliver-hook.job.js';

interface CompletePayload {
  eventId: string;
  /** Of the hooks; null for system hooks. */
  projectId: number | null;
}

const OPTIONS = {
  fair: true,
  // As for deliveries: it fails for good only while the service itself is in trouble.
  attempts: 1_000,
  backoff: exponentialBackoff(1_000, 60_000),
};

/** A job of its own, since workers of an older version would deliver what is not complete. */
const completion = defineJob<CompletePayload>('hooks', 'complete-event', OPTIONS);

/** The same of version 4, whose payloads workers of an older version would complete as those of version 3. */
const completionV4 = defineJob<CompletePayload>('hooks', 'complete-event-v4', OPTIONS);

/** After so many attempts, about two minutes, an event is delivered without its commit. */
const MOST_READS = 7;

/** The job that reads what git knows of an event, and then has it delivered. */
export function completeEvent(payload: CompletePayload, version: HookVersion): JobRequest {
  const fairnessKey = `project ${String(payload.projectId)}`;
  return (version === 4 ? completionV4 : completion).with(payload, { fairnessKey });
}

/** Completes the payload of an event outside of the transaction that caused it, which would wait for git. */
@Injectable()
export class EventCompleter {
  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly versions: PayloadVersions,
    private readonly work: UnitOfWork,
    private readonly outbox: Outbox,
  ) {}

  async complete(payload: CompletePayload, version: HookVersion, attempt: number): Promise<void> {
    const { eventId, projectId } = payload;
    const event = await this.deliveries.findIncomplete(eventId);
    if (event !== undefined) {
      const source = { projectId, readsGit: attempt <= MOST_READS };
      const complete = await this.versions
        .of(event.version)
        .complete(event.kind, event.payload, source);
      await this.deliveries.storeBody(eventId, JSON.stringify(complete));
    }
    await this.work.run(async () => {
      if (!(await this.outbox.takeOver(completeEvent(payload, version)))) return;
      const deliveries = await this.deliveries.findUnattempted(eventId);
      await this.outbox.addAll(deliveries.map((delivery) => firstAttempt(delivery, projectId)));
    });
  }
}

@Injectable()
@HandlesJob(completion)
export class CompleteEventJob implements JobHandler<CompletePayload> {
  constructor(private readonly completer: EventCompleter) {}

  handle(payload: CompletePayload, { attempt }: JobContext): Promise<void> {
    return this.completer.complete(payload, 3, attempt);
  }
}

@Injectable()
@HandlesJob(completionV4)
export class CompleteEventV4Job implements JobHandler<CompletePayload> {
  constructor(private readonly completer: EventCompleter) {}

  handle(payload: CompletePayload, { attempt }: JobContext): Promise<void> {
    return this.completer.complete(payload, 4, attempt);
  }
}
