import { Injectable, SetMetadata } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import {
  type AnyJobDefinition,
  type JobCatalogue,
  jobCatalogue,
  type JobDefinition,
  keyOf,
  type RecurringJobDefinition,
} from './job-definition.js';

/** What a handler gets to know about the attempt. */
export interface JobContext {
  /** Stays the same in all attempts of a job. */
  readonly jobId: string;
  /** 1 in the first attempt. */
  readonly attempt: number;
  /** Aborted when the time limit has passed or the worker must stop; the handler then throws as soon as possible. */
  readonly signal: AbortSignal;
}

/** Returned by a handler that has confirmed the job itself, by the statement that writes its effects (`confirmJobs`). */
export const CONFIRMED = Symbol('the job is confirmed');

type JobResult = Promise<void> | Promise<typeof CONFIRMED | undefined>;

/** Runs jobs of one kind; the class is a provider that carries `@HandlesJob(definition)`. */
export interface JobHandler<Payload extends object = Record<string, never>> {
  handle(payload: Payload, context: JobContext): JobResult;
}

// A property, not a method: only so are parameters compared strictly, and a handler that wants more
// than the definition promises is refused.
type HandlerClass<Payload extends object> = abstract new (...args: never[]) => {
  handle: (payload: Payload, context: JobContext) => JobResult;
};

const HANDLED_JOB = 'trellis:handled-job';

/** Names the kind of job that a class handles; the payload's type has to match. */
export function HandlesJob<Payload extends object>(
  definition: JobDefinition<Payload>,
): (target: HandlerClass<Payload>) => void;
export function HandlesJob(
  definition: RecurringJobDefinition,
): (target: HandlerClass<Record<string, never>>) => void;
export function HandlesJob(definition: object): (target: HandlerClass<never>) => void {
  return (target) => {
    SetMetadata(HANDLED_JOB, definition)(target);
  };
}

export interface HandledJob {
  readonly definition: AnyJobDefinition;
  readonly handler: JobHandler<object>;
}

/** Which provider handles which kind of job. */
@Injectable()
export class HandlerRegistry {
  #handled = new Map<string, HandledJob>();

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws Error naming every job without a handler or with several */
  load(): void {
    const providers = this.discovery
      .getProviders()
      .filter((wrapper) => wrapper.isDependencyTreeStatic())
      .map((wrapper): unknown => wrapper.instance);
    this.#handled = matchHandlers(jobCatalogue, [...new Set(providers)]);
  }

  find(queue: string, name: string): HandledJob | undefined {
    return this.#handled.get(keyOf(queue, name));
  }

  all(): HandledJob[] {
    return [...this.#handled.values()];
  }
}

/**
 * Finds the one handler of each job in the catalogue among `providers`.
 * @throws Error naming every job without a handler or with several
 */
export function matchHandlers(
  catalogue: JobCatalogue,
  providers: readonly unknown[],
): Map<string, HandledJob> {
  const handlers = providers.filter(isHandler);
  const handled = new Map<string, HandledJob>();
  const mistakes: string[] = [];
  for (const definition of catalogue.all()) {
    const key = keyOf(definition.queue, definition.name);
    const [handler, ...others] = handlers.filter((each) => definitionOf(each) === definition);
    if (handler === undefined) mistakes.push(`${key} has no handler`);
    else if (others.length > 0) mistakes.push(`${key} has ${others.length + 1} handlers`);
    else handled.set(key, { definition, handler });
  }
  if (mistakes.length > 0) throw new Error(`Jobs are not wired up: ${mistakes.join(', ')}`);
  return handled;
}

function isHandler(provider: unknown): provider is JobHandler<object> {
  return definitionOf(provider) !== undefined;
}

function definitionOf(provider: unknown): unknown {
  if (typeof provider !== 'object' || provider === null) return undefined;
  return Reflect.getMetadata(HANDLED_JOB, provider.constructor);
}
