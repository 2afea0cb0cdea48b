import type { IQueueBackend, Job, Processor, Queue, Worker, WorkerOptions } from 'bullmq';

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

/** Where the queues live. Connections are made on first use and shared within the process. */
export interface QueueBackend {
  readonly kind: 'redis' | 'postgres';
  queue(name: string): JobQueue;
  worker(name: string, processor: JobProcessor, options: JobWorkerOptions): JobWorker;
  /** Rejects within a few seconds when the store does not answer. */
  ping(): Promise<void>;
  /** False when the store was emptied since the last `markAfter`: it may lack what it was given. */
  isMarked(): Promise<boolean>;
  /** Leaves the mark after `check`, unless the store was emptied again in the meantime. */
  markAfter(check: () => Promise<void>): Promise<void>;
  /** Closes the connections; queues and workers have to be closed before. */
  close(): Promise<void>;
}
