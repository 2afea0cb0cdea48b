import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { RepositoryStates } from './repository-states.js';

/** How long a push may have to wait for a copy or an import; milliseconds. */
const PATIENCE_MS = 30_000;
const INTERVAL_MS = 200;

/** Lets writers wait for a repository that is still being filled (open points 5.10). */
@Injectable()
export class RepositoryReadiness {
  constructor(private readonly states: RepositoryStates) {}

  /**
   * Waits until nothing fills the project's repository any more, for half a minute at most.
   * @returns false when something still does; a project that is gone has nothing to wait for
   */
  async wait(projectId: number): Promise<boolean> {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      const state = await this.states.find(projectId);
      if (state === null || state === 'ready') return true;
      if (Date.now() >= end) return false;
      await delay(INTERVAL_MS);
    }
  }
}
