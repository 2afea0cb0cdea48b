import { Inject, Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { Batches, untilAborted } from '../../async/index.js';
import { UnitOfWork } from '../../database/index.js';
import { parseTraceparent } from '../../tracing/index.js';
import { failureOf, RetryJobLaterError } from '../jobs/failures.js';
import { CONFIRMED, type HandledJob } from '../jobs/job-handler.js';
import {
  type LoadedJob,
  type OutboxReference,
  OutboxRepository,
} from '../outbox/outbox.repository.js';
import { QUEUE_OPTIONS, type QueueLogger, type QueueOptions, tuningOf } from '../queue-options.js';
import { type LateRecord, LateRecords } from './late-records.js';
import { observeAttempt } from './observe-attempt.js';
import { WorkerFencedError, WorkerStoppingError } from './worker-stopping-error.js';

const UNKNOWN_JOB_DELAY_MS = 10_000;

/** Runs a job of the outbox and records in its row how it ended, before the queue records that it has ended. */
@Injectable()
export class OutboxJobRunner {
  /** Before each attempt to record the end of a job but the first. */
  readonly retryPausesMs: readonly number[] = [100, 300, 1_000, 2_000];
  readonly #confirmations = new Batches<string, undefined>({
    key: (id) => id,
    answer: (ids) => this.#confirmAll(ids),
  });
  readonly #graceMs: number;
  readonly #logger: QueueLogger;

  constructor(
    private readonly store: OutboxRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly late: LateRecords,
    @Inject(QUEUE_OPTIONS) options: QueueOptions,
  ) {
    this.#graceMs = tuningOf(options).abortGraceMs;
    this.#logger = options.logger;
  }

  /**
   * Resolves when the job's row says how it ended: deleted, or with its next attempt, or failed permanently.
   * Rejects when that could not be recorded; the row is then written later, or found by the sweep.
   */
  async run(reference: OutboxReference, handled: HandledJob, signal: AbortSignal): Promise<void> {
    if (handled.definition.transactional) await this.#runOnce(reference, handled, signal);
    else await this.#runAtLeastOnce(reference, handled, signal);
  }

  /** Hands a job that was not begun to another worker. */
  async giveBack(reference: OutboxReference): Promise<void> {
    await this.#record({ write: () => this.store.release([reference]) });
  }

  /**
   * Gives back a job that this version of the service does not know, so that a worker of the newer version
   * that added it can take it.
   */
  async giveBackUnknown(reference: OutboxReference, name: string): Promise<void> {
    this.#logger.warn({ job: name, id: reference.id }, 'No such job is known here: given back');
    await this.store.release([reference], UNKNOWN_JOB_DELAY_MS);
  }

  // A second delivery waits for the lock on the row, and then finds the row deleted.
  async #runOnce(
    reference: OutboxReference,
    handled: HandledJob,
    signal: AbortSignal,
  ): Promise<void> {
    let loaded: LoadedJob | undefined;
    try {
      await this.unitOfWork.run(async () => {
        loaded = await this.store.loadAndLock(reference);
        if (loaded === undefined) return;
        const result = await this.#handle(reference, handled, loaded, signal);
        if (result !== CONFIRMED) await this.store.confirm([reference.id]);
      });
    } catch (error) {
      if (loaded !== undefined) return this.#recordFailure(reference, handled, loaded, error);
      this.late.add({ write: () => this.store.release([reference]) });
      throw error;
    }
  }

  async #runAtLeastOnce(
    reference: OutboxReference,
    handled: HandledJob,
    signal: AbortSignal,
  ): Promise<void> {
    // A job that cannot even be looked up goes back to the relay, once that can be recorded.
    const loaded = await this.late.orLater(() => this.store.load(reference), {
      write: () => this.store.release([reference]),
    });
    if (loaded === undefined) return;
    let result: typeof CONFIRMED | undefined;
    try {
      result = await this.#handle(reference, handled, loaded, signal);
    } catch (error) {
      return this.#recordFailure(reference, handled, loaded, error);
    }
    if (result === CONFIRMED) return;
    await this.late.orLater(() => this.#confirmations.ask(reference.id), {
      write: () => this.store.confirm([reference.id]),
      ended: reference,
    });
  }

  /** Jobs that end while others are being confirmed are confirmed together. */
  async #confirmAll(ids: readonly string[]): Promise<undefined[]> {
    await this.#withRetry(() => this.store.confirm(ids));
    return ids.map(() => undefined);
  }

  async #handle(
    reference: OutboxReference,
    { definition, handler }: HandledJob,
    { payload, attempts, traceparent }: LoadedJob,
    signal: AbortSignal,
  ): Promise<typeof CONFIRMED | undefined> {
    const context = { jobId: reference.id, attempt: attempts + 1, signal };
    const started = performance.now();
    const result = await observeAttempt(
      { definition, jobId: reference.id, attempts, traceparent },
      () => {
        const handling: Promise<unknown> = handler.handle(payload, context);
        return untilAborted(handling, signal, this.#graceMs);
      },
    );
    const { queue, name } = definition;
    const ms = Math.round(performance.now() - started);
    const details = { queue, job: name, id: reference.id, traceId: traceIdOf(traceparent), ms };
    this.#logger.debug(details, 'A job has succeeded');
    return result === CONFIRMED ? result : undefined;
  }

  async #recordFailure(
    reference: OutboxReference,
    { definition }: HandledJob,
    { attempts, traceparent }: LoadedJob,
    error: unknown,
  ): Promise<void> {
    const { queue, name } = definition;
    const job = { queue, job: name, id: reference.id, traceId: traceIdOf(traceparent) };
    const details = { err: error, ...job, attempt: attempts + 1 };
    if (error instanceof WorkerFencedError) {
      this.#logger.info(details, 'A job was left to the worker that takes it over');
      throw error;
    }
    if (error instanceof WorkerStoppingError) {
      this.#logger.info(details, 'A job was given back because the worker stops');
      await this.giveBack(reference);
      return;
    }
    const failure = failureOf(error, definition, attempts);
    if (failure.delayMs === null) this.#logger.error(details, 'A job has failed and is given up');
    else if (error instanceof RetryJobLaterError) this.#logRetry(details, error);
    else this.#logger.warn({ ...details, nextMs: failure.delayMs }, 'A job has failed');
    const write = () => this.store.recordFailure(reference, failure);
    await this.#record({ write, ended: reference });
  }

  /**
   * Runs `work` until it succeeds, five times within a few seconds at most: for what has to be
   * recorded of a job that has ended, where giving up means that it runs again.
   */
  async #withRetry<T>(work: () => Promise<T>): Promise<T> {
    for (const pause of this.retryPausesMs) {
      try {
        return await work();
      } catch {
        await delay(pause);
      }
    }
    return work();
  }

  /** The handler asked to be retried later, which is not a failure. */
  #logRetry({ err: _, ...details }: Record<string, unknown>, error: RetryJobLaterError): void {
    const { message: reason, delayMs: nextMs } = error;
    this.#logger.info({ ...details, reason, nextMs }, 'A job runs again later');
  }

  #record(record: LateRecord): Promise<void> {
    return this.late.orLater(() => this.#withRetry(record.write), record);
  }
}

const traceIdOf = (traceparent: string | null): string | undefined =>
  parseTraceparent(traceparent)?.traceId;
