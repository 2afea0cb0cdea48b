import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { RepositoryStates } from './repository-states.js';

/** How long a push may have to wait for a copy or an import; milliseconds. */
const PATIENCE_MS = 30_000;
const INTERVAL_MS = 200;

/**
 * Lets writers wait for a repository that is still being filled
 * (docs/reference/projects.md#repositories-that-are-being-filled).
 */
@Injectable()
export class RepositoryReadiness {
  constructor(private readonly states: RepositoryStates) {}

  /**
   * Waits until nothing fills the project's repository any more, for half a minute at most.
   * @param signal aborted when whoever waits has gone, which ends the waiting
   * @returns false when something still does; a project that is gone has nothing to wait for
   */
  async wait(projectId: number, signal?: AbortSignal): Promise<boolean> {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      const state = await this.states.find(projectId);
      if (state === null || state === 'ready') return true;
      if (Date.now() >= end || signal?.aborted) return false;
      await pause(signal);
    }
  }
}

/** Ends early when the signal does. */
async function pause(signal: AbortSignal | undefined): Promise<void> {
  await delay(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
}
