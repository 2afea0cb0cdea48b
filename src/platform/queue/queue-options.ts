/** The part of a pino logger that this room needs. */
export interface QueueLogger {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface QueueOptions {
  databaseUrl: string;
  /** If set, the queues are in Redis; otherwise in PostgreSQL, in the schema `bullmq` of the same database. */
  redisUrl?: string | undefined;
  logger: QueueLogger;
  tuning?: Partial<QueueTuning> | undefined;
}

/** Times in milliseconds; the defaults are meant for production. */
export interface QueueTuning {
  /** Connections to PostgreSQL that all queues and workers of a process share. */
  poolSize: number;
  /** Rows that the relay moves in one transaction. */
  relayBatch: number;
  /** The relay looks for due rows at least this often, notification or not. */
  relayPollMs: number;
  /** Jobs of a fair kind that are in the queue at once; the rest waits in the outbox. */
  fairWindow: number;
  /** Of them, those with one fairness key while others wait. */
  fairShare: number;
  /** Rows handed over longer ago than this are compared with the queue. */
  sweepAfterMs: number;
  /** How often that comparison takes place. */
  sweepEveryMs: number;
  /** A job whose worker has not renewed its lock for this long is taken over by another. */
  lockMs: number;
  /** How often workers look for such jobs; a take-over needs two checks. */
  stalledCheckMs: number;
  /** What a handler gets to stop after its signal was aborted. */
  abortGraceMs: number;
  /** Jobs in flight get this long to finish when the process is asked to end. */
  drainMs: number;
  /** Rows of jobs that failed permanently are deleted after this time. */
  keepFailedMs: number;
}

const DEFAULT_TUNING: QueueTuning = {
  poolSize: 4,
  relayBatch: 500,
  relayPollMs: 1_000,
  fairWindow: 1_024,
  fairShare: 256,
  sweepAfterMs: 60_000,
  sweepEveryMs: 15_000,
  lockMs: 15_000,
  stalledCheckMs: 5_000,
  abortGraceMs: 5_000,
  drainMs: 30_000,
  keepFailedMs: 30 * 24 * 3_600_000,
};

export const QUEUE_OPTIONS = Symbol('QUEUE_OPTIONS');

export function tuningOf(options: QueueOptions): QueueTuning {
  return { ...DEFAULT_TUNING, ...options.tuning };
}
