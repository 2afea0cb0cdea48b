import { SetMetadata } from '@nestjs/common';
import type { JobDefinition, RecurringJobDefinition } from './job-definition.js';

/** What a handler is told about the run it is in. */
export interface JobContext {
  /** Stays the same in all attempts of a job. */
  readonly jobId: string;
  /** 1 in the first attempt. */
  readonly attempt: number;
  /** Aborted when the time limit has passed or the worker must stop: give up as soon as possible. */
  readonly signal: AbortSignal;
}

/** Runs jobs of one kind; the class is a provider that carries `@HandlesJob(definition)`. */
export interface JobHandler<Payload extends object = Record<string, never>> {
  handle(payload: Payload, context: JobContext): Promise<void>;
}

// A property, not a method: only so are parameters compared strictly, and a handler that wants more
// than the definition promises is refused.
type HandlerClass<Payload extends object> = abstract new (...args: never[]) => {
  handle: (payload: Payload, context: JobContext) => Promise<void>;
};

export const HANDLED_JOB = 'trellis:handled-job';

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
