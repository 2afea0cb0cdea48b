import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type AnyJobDefinition, jobCatalogue, keyOf, type JobCatalogue } from './job-definition.js';
import { HANDLED_JOB, type JobHandler } from './job-handler.js';

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
