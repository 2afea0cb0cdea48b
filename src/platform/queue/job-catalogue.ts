import type { Backoff } from './backoff.js';

// BullMQ builds keys of these with ":"; schedulers take the job's name for an id.
const NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** What every kind of job has. */
export interface JobProperties {
  readonly queue: string;
  readonly name: string;
  readonly attempts: number;
  readonly backoff: Backoff;
  readonly concurrency: number;
  readonly timeLimitMs: number;
  readonly transactional: boolean;
}

/** A definition of a job with any payload. */
export interface AnyJobDefinition extends JobProperties {
  readonly everyMs?: number | undefined;
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

  find(queue: string, name: string): AnyJobDefinition | undefined {
    return this.#definitions.get(keyOf(queue, name));
  }

  all(): AnyJobDefinition[] {
    return [...this.#definitions.values()];
  }

  queues(): string[] {
    return [...new Set(this.all().map((definition) => definition.queue))];
  }
}

/** How messages name a kind of job. */
export function keyOf(queue: string, name: string): string {
  return `${queue}/${name}`;
}

/** The catalogue of the service, filled by `defineJob` as the modules are loaded. */
export const jobCatalogue = new JobCatalogue();
