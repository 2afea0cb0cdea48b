import { Inject, Injectable } from '@nestjs/common';
import { settlesWithin } from '../../async/index.js';
import type { JobWorker, JobWorkerOptions } from '../backends/queue-backend.js';
import { QueueFactory } from '../backends/queue-factory.js';
import { HandlerRegistry } from '../jobs/job-handler.js';
import { QUEUE_OPTIONS, type QueueOptions, type QueueTuning, tuningOf } from '../queue-options.js';
import { JobRunner } from './job-runner.js';
import { WorkerFencedError, WorkerStoppingError } from './worker-stopping-error.js';

// A job that crashes its worker must fail in the end; one that was only interrupted by restarts must survive
// a series of them.
const MAX_TAKE_OVERS = 10;
const RETRY_AFTER_ERROR_MS = 1_000;
// Without jobs it takes no time, unless the store of the queues does not answer.
const CLOSE_MS = 2_000;

/** The workers of this process, one per queue. */
@Injectable()
export class WorkerRuntime {
  readonly #tuning: QueueTuning;
  #workers: JobWorker[] = [];

  constructor(
    private readonly registry: HandlerRegistry,
    private readonly runner: JobRunner,
    private readonly queues: QueueFactory,
    @Inject(QUEUE_OPTIONS) options: QueueOptions,
  ) {
    this.#tuning = tuningOf(options);
  }

  start(): void {
    const concurrency = new Map<string, number>();
    for (const { definition } of this.registry.all()) {
      const known = concurrency.get(definition.queue) ?? 1;
      concurrency.set(definition.queue, Math.max(known, definition.concurrency));
    }
    this.#workers = [...concurrency].map(([queue, jobs]) =>
      this.queues.worker(queue, (job) => this.runner.run(job), this.#options(jobs)),
    );
  }

  /**
   * Takes no new jobs and resolves when those in flight have ended. Towards the end of `timeoutMs` their
   * signals are aborted, and jobs that end then are given back to the queue. Jobs that still run after that
   * are cut off; another worker takes them over as if this one had died.
   */
  async drain(timeoutMs: number): Promise<void> {
    const graceMs = Math.min(this.#tuning.abortGraceMs, timeoutMs / 2);
    this.runner.stop();
    await Promise.allSettled(this.#workers.map((worker) => worker.pause(true)));
    if (!(await settlesWithin(this.runner.inFlight.idle(), timeoutMs - graceMs))) {
      this.runner.inFlight.abortAll(new WorkerStoppingError('The worker stops'));
      // Not closed yet: a worker that is closing waits for its jobs and cannot be cut off.
      if (!(await settlesWithin(this.runner.inFlight.idle(), graceMs))) return;
    }
    const closed = Promise.allSettled(this.#workers.map((worker) => worker.close()));
    await settlesWithin(closed, CLOSE_MS);
  }

  /** Aborts the jobs in flight, and records nothing about them: the queue gives them to others. */
  leaveJobs(): void {
    this.runner.inFlight.abortAll(new WorkerFencedError());
  }

  #options(concurrency: number): JobWorkerOptions {
    return {
      concurrency,
      lockDuration: this.#tuning.lockMs,
      stalledInterval: this.#tuning.stalledCheckMs,
      maxStalledCount: MAX_TAKE_OVERS,
      runRetryDelay: RETRY_AFTER_ERROR_MS,
    };
  }
}
