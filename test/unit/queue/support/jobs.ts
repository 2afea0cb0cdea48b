import { Injectable } from '@nestjs/common';
import {
  defineJob,
  defineRecurringJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
} from '../../../../src/platform/queue/index.js';

export interface KeyPayload {
  key: string;
}

/** What a test wants the handlers to do, by the name of the job. */
@Injectable()
export class Behaviour {
  readonly #actions = new Map<string, (key: string, context: JobContext) => Promise<void>>();

  on(job: string, action: (key: string, context: JobContext) => Promise<void>): void {
    this.#actions.set(job, action);
  }

  async act(job: string, key: string, context: JobContext): Promise<void> {
    await this.#actions.get(job)?.(key, context);
  }
}

const backoff = (): number => 1;

export const plainJob = defineJob<KeyPayload>('alpha', 'plain', {
  attempts: 3,
  backoff,
  concurrency: 1,
});
export const onceJob = defineJob<KeyPayload>('beta', 'once', {
  attempts: 3,
  backoff,
  concurrency: 4,
  transactional: true,
});
export const hastyJob = defineJob<KeyPayload>('beta', 'hasty', { attempts: 1, timeLimitMs: 20 });
export const fairJob = defineJob<KeyPayload>('delta', 'fair', { fair: true, concurrency: 1 });
export const tick = defineRecurringJob({ queue: 'gamma', name: 'tick', everyMs: 250 });

@Injectable()
@HandlesJob(plainJob)
export class PlainHandler implements JobHandler<KeyPayload> {
  constructor(private readonly behaviour: Behaviour) {}

  handle({ key }: KeyPayload, context: JobContext): Promise<void> {
    return this.behaviour.act('plain', key, context);
  }
}

@Injectable()
@HandlesJob(onceJob)
export class OnceHandler implements JobHandler<KeyPayload> {
  constructor(private readonly behaviour: Behaviour) {}

  handle({ key }: KeyPayload, context: JobContext): Promise<void> {
    return this.behaviour.act('once', key, context);
  }
}

@Injectable()
@HandlesJob(hastyJob)
export class HastyHandler implements JobHandler<KeyPayload> {
  constructor(private readonly behaviour: Behaviour) {}

  handle({ key }: KeyPayload, context: JobContext): Promise<void> {
    return this.behaviour.act('hasty', key, context);
  }
}

@Injectable()
@HandlesJob(fairJob)
export class FairHandler implements JobHandler<KeyPayload> {
  constructor(private readonly behaviour: Behaviour) {}

  handle({ key }: KeyPayload, context: JobContext): Promise<void> {
    return this.behaviour.act('fair', key, context);
  }
}

@Injectable()
@HandlesJob(tick)
export class TickHandler implements JobHandler {
  constructor(private readonly behaviour: Behaviour) {}

  handle(_: Record<string, never>, context: JobContext): Promise<void> {
    return this.behaviour.act('tick', context.jobId, context);
  }
}

export const handlers = [PlainHandler, OnceHandler, HastyHandler, FairHandler, TickHandler];
