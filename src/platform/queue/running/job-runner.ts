import { Inject, Injectable } from '@nestjs/common';
import { runAs, untilAborted } from '../../async/index.js';
import type { QueuedJob } from '../backends/queue-backend.js';
import { JobTimeLimitError } from '../jobs/failures.js';
import { type HandledJob, HandlerRegistry } from '../jobs/job-handler.js';
import { parseJobId } from '../outbox/outbox.repository.js';
import { QUEUE_OPTIONS, type QueueOptions, tuningOf } from '../queue-options.js';
import { observeAttempt } from './observe-attempt.js';
import { OutboxJobRunner } from './outbox-job-runner.js';

/**
 * Runs a job that a worker has taken from the queue, within its time limit. BullMQ only records that it has ended:
 * failures are recorded in the outbox, those of recurring jobs only in the log.
 */
@Injectable()
export class JobRunner {
  readonly inFlight = new InFlight();
  readonly #graceMs: number;
  #stopped = false;

  constructor(
    private readonly registry: HandlerRegistry,
    private readonly outboxJobs: OutboxJobRunner,
    @Inject(QUEUE_OPTIONS) private readonly options: QueueOptions,
  ) {
    this.#graceMs = tuningOf(options).abortGraceMs;
  }

  /** From now on, jobs that a worker still takes are given back immediately. */
  stop(): void {
    this.#stopped = true;
  }

  async run(job: QueuedJob): Promise<void> {
    const reference = parseJobId(job.id ?? '');
    if (this.#stopped) {
      if (reference !== undefined) await this.outboxJobs.giveBack(reference);
      return;
    }
    const handled = this.registry.find(job.queueName, job.name);
    if (handled === undefined) {
      if (reference !== undefined) await this.outboxJobs.giveBackUnknown(reference, job.name);
      return;
    }
    const { timeLimitMs } = handled.definition;
    const controller = new AbortController();
    const timer = setTimeout(
      () => controller.abort(new JobTimeLimitError(timeLimitMs)),
      timeLimitMs,
    );
    timer.unref();
    this.inFlight.add(controller, reference?.id);
    try {
      await runAs('background', () =>
        reference === undefined
          ? this.#runRecurring(job, handled, controller.signal)
          : this.outboxJobs.run(reference, handled, controller.signal),
      );
    } finally {
      clearTimeout(timer);
      this.inFlight.remove(controller);
    }
  }

  async #runRecurring(job: QueuedJob, handled: HandledJob, signal: AbortSignal): Promise<void> {
    const { queue, name } = handled.definition;
    const jobId = job.id ?? name;
    const attempt = { definition: handled.definition, jobId, attempts: 0, traceparent: null };
    try {
      await observeAttempt(attempt, () => {
        const handling: Promise<unknown> = handled.handler.handle(
          {},
          { jobId, attempt: 1, signal },
        );
        return untilAborted(handling, signal, this.#graceMs);
      });
    } catch (error) {
      this.options.logger.error({ err: error, queue, job: name }, 'A recurring job has failed');
    }
  }
}

/** The jobs that this process is running now. */
class InFlight {
  readonly #jobs = new Map<AbortController, string | undefined>();
  readonly #whenIdle: (() => void)[] = [];

  has(outboxId: string): boolean {
    return [...this.#jobs.values()].includes(outboxId);
  }

  add(controller: AbortController, outboxId: string | undefined): void {
    this.#jobs.set(controller, outboxId);
  }

  remove(controller: AbortController): void {
    this.#jobs.delete(controller);
    if (this.#jobs.size > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Resolves as soon as no job is running. */
  async idle(): Promise<void> {
    if (this.#jobs.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  abortAll(reason: Error): void {
    for (const controller of this.#jobs.keys()) controller.abort(reason);
  }
}
