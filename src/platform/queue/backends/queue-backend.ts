import type {
  IQueueBackend,
  Job,
  Processor,
  Queue,
  QueueOptions,
  Worker,
  WorkerOptions,
} from 'bullmq';
import type { QueueLogger } from '../queue-options.js';

/** What travels through the queue: nothing but the reference in the job's id. */
export type QueuedJob = Job<object, void>;

interface ReportsErrors {
  on(event: 'error', listener: (error: Error) => void): unknown;
}

// Only what both backends have in common: BullMQ's classes are typed by their backend.
export type JobQueue = Pick<
  Queue<object, void>,
  | 'name'
  | 'addBulk'
  | 'getJob'
  | 'getJobState'
  | 'getJobCounts'
  | 'getJobSchedulers'
  | 'upsertJobScheduler'
  | 'removeJobScheduler'
  | 'waitUntilReady'
  | 'close'
> &
  ReportsErrors;
export type JobWorker = Pick<Worker<object, void>, 'name' | 'pause' | 'close'> &
  ReportsErrors & { getBackend(): Pick<IQueueBackend, 'disconnectBlocking'> };
export type JobProcessor = Processor<object, void>;
export type JobWorkerOptions = Omit<WorkerOptions, 'connection' | 'prefix'>;

/**
 * What is the same for every job and queue. BullMQ distributes jobs, takes them over from workers that died, and
 * repeats recurring ones. It is not used for attempts, back-off, delays and failures, which the outbox records
 * (docs/decisions/0038-who-retries-jobs.md): each job that it is given has one attempt.
 *
 * Succeeded jobs are removed immediately. Until a job has ended, the queue ignores a second one with its id, so it
 * cannot be handed over twice; afterwards its row in the outbox is deleted, so there is nothing to hand over or to
 * run. (Keeping them would cost: in PostgreSQL, BullMQ reads all kept jobs whenever a job ends.) Only jobs whose
 * workers died too often, or whose end could not be recorded, are failed. A limited number of them is kept for a
 * day, so that the sweep can distinguish the former from jobs that were lost.
 */
export const QUEUE_DEFAULTS = {
  defaultJobOptions: {
    attempts: 1,
    removeOnComplete: true,
    removeOnFail: { age: 24 * 3_600, count: 200 },
  },
  // The event stream has no readers; by default it would keep 10,000 entries per queue.
  streams: { events: { maxLen: 100 } },
} satisfies Partial<QueueOptions>;

/** The store of the queues. Connections are made on first use and shared within the process. */
export interface QueueBackend {
  readonly kind: 'redis' | 'postgres';
  queue(name: string): JobQueue;
  worker(name: string, processor: JobProcessor, options: JobWorkerOptions): JobWorker;
  /** Rejects within a few seconds when the store does not answer. */
  ping(): Promise<void>;
  /** False when the store was emptied since the last `markAfter`: jobs may be missing. */
  isMarked(): Promise<boolean>;
  /** Writes the mark after `check`, unless the store was emptied again in the meantime. */
  markAfter(check: () => Promise<void>): Promise<void>;
  /** Closes the connections; queues and workers have to be closed before. */
  close(): Promise<void>;
}

const REPEAT_MS = 10_000;
const REMEMBERED = 100;

/**
 * Logs what goes wrong in the background. A store that is away makes every connection and timer
 * fail many times a second: the same message is written once in ten seconds.
 */
export class ErrorLog {
  readonly #logged = new Map<string, number>();

  constructor(private readonly logger: QueueLogger) {}

  report(where: string, error: unknown): void {
    const key = `${where}: ${error instanceof Error ? error.message : String(error)}`;
    const now = Date.now();
    if (now - (this.#logged.get(key) ?? 0) < REPEAT_MS) return;
    if (this.#logged.size >= REMEMBERED) this.#logged.clear();
    this.#logged.set(key, now);
    this.logger.warn({ err: error, where }, 'The queue has a problem and tries again');
  }
}
