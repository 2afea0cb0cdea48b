import { exponentialBackoff, type Backoff, type RetryPolicy } from './failures.js';

// BullMQ builds keys of these with ":"; schedulers take the job's name for an id.
const NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** Options of a kind of job; all have a default. */
interface JobOptions {
  /** Attempts before the job fails permanently. Default 5. */
  attempts?: number;
  /** How long to wait between attempts. Default: doubling from 1 s to 5 min. */
  backoff?: Backoff;
  /** Jobs of this queue that one worker process runs at once; the largest value of its jobs counts. Default 2. */
  concurrency?: number;
  /** After this time the handler's signal is aborted and the attempt has failed. Default 60 s. */
  timeLimitMs?: number;
  /**
   * The handler runs inside a unit of work in which the job is also confirmed: its effects on the
   * database happen exactly once, however often the job is delivered. Default false: a handler must
   * then be idempotent.
   */
  transactional?: boolean;
  /**
   * Whether many jobs of one fairness key wait in the outbox, so that they do not hold up those of others in the queue.
   * Each of them needs a key then. Default false.
   */
  fair?: boolean;
}

/** What every kind of job has. */
interface JobProperties extends RetryPolicy {
  readonly queue: string;
  readonly name: string;
  readonly concurrency: number;
  readonly timeLimitMs: number;
  readonly transactional: boolean;
  readonly fair: boolean;
}

/** A definition of a job with any payload. */
export interface AnyJobDefinition extends JobProperties {
  readonly everyMs?: number | undefined;
}

/** A job to be added to the outbox: a definition with its payload. */
export interface JobRequest {
  readonly definition: AnyJobDefinition;
  readonly payload: object;
  readonly delayMs: number;
  /** What the job counts for, in a queue that is shared out fairly. */
  readonly fairnessKey: string | null;
}

/** How a job is to be run. */
interface RequestOptions {
  /** Holds it back for a while after the commit. */
  delayMs?: number;
  /** Of a fair kind of job: jobs with different keys get equal shares of the queue. */
  fairnessKey?: string;
}

/** A kind of job that travels through the outbox. */
export interface JobDefinition<Payload extends object> extends JobProperties {
  readonly everyMs?: never;
  /** A job of this kind. */
  with(payload: Payload, options?: RequestOptions): JobRequest;
}

/** A job that the queue itself repeats; it has no payload and no row in the outbox. */
export interface RecurringJobDefinition extends JobProperties {
  readonly everyMs: number;
}

const DEFAULTS: Omit<JobProperties, 'queue' | 'name'> = {
  attempts: 5,
  backoff: exponentialBackoff(1_000, 300_000),
  concurrency: 2,
  timeLimitMs: 60_000,
  transactional: false,
  fair: false,
};

/**
 * Defines a kind of job. Its payload must be JSON: ids and snapshots, no dates, no functions.
 * @throws Error when the queue has a job of that name already
 */
export function defineJob<Payload extends object>(
  queue: string,
  name: string,
  options: JobOptions = {},
  catalogue: JobCatalogue = jobCatalogue,
): JobDefinition<Payload> {
  const definition: JobDefinition<Payload> = {
    ...DEFAULTS,
    ...options,
    queue,
    name,
    with: (payload, { delayMs = 0, fairnessKey } = {}) => ({
      definition,
      payload,
      delayMs,
      fairnessKey: fairnessKey ?? null,
    }),
  };
  catalogue.register(definition);
  return definition;
}

/**
 * Defines a job that runs every `everyMs` milliseconds once in the whole installation, however many
 * workers there are. A failed run is not repeated: the next one is due anyway.
 * @throws Error when the queue has a job of that name already
 */
export function defineRecurringJob(
  options: Pick<JobOptions, 'concurrency' | 'timeLimitMs'> & {
    queue: string;
    name: string;
    everyMs: number;
  },
  catalogue: JobCatalogue = jobCatalogue,
): RecurringJobDefinition {
  const definition = { ...DEFAULTS, ...options, attempts: 1 };
  catalogue.register(definition);
  return definition;
}

/** All kinds of jobs, by queue and name. */
export class JobCatalogue {
  readonly #definitions = new Map<string, AnyJobDefinition>();

  /** @throws Error when the name is taken or not made of lower-case letters, digits and dashes */
  register(definition: AnyJobDefinition): void {
    const { queue, name } = definition;
    if (!NAME.test(queue) || !NAME.test(name)) {
      throw new Error(`Not a name for a queue or a job: "${queue}", "${name}"`);
    }
    const key = keyOf(queue, name);
    if (this.#definitions.has(key)) throw new Error(`The job ${key} is defined twice`);
    this.#definitions.set(key, definition);
  }

  all(): AnyJobDefinition[] {
    return [...this.#definitions.values()];
  }
}

/** How messages name a kind of job. */
export function keyOf(queue: string, name: string): string {
  return `${queue}/${name}`;
}

/** The catalogue of the service, filled by `defineJob` as the modules are loaded. */
export const jobCatalogue = new JobCatalogue();
