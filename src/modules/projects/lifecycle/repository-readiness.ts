import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ProjectsRepository } from '../model/projects.repository.js';

const INTERVAL_MS = 200;

/**
 * Lets writers wait for a repository that is being filled
 * (docs/reference/projects.md#repositories-that-are-being-filled).
 */
@Injectable()
export class RepositoryReadiness {
  /** The longest time that a push waits for a copy or an import; milliseconds. */
  readonly maxWaitMs: number = 30_000;

  constructor(private readonly projects: ProjectsRepository) {}

  /**
   * Waits until a project's repository is filled, for `maxWaitMs` at most.
   * @param signal aborts the waiting, when the client has disconnected
   * @returns false when the repository is still being filled; true for a deleted project
   */
  async wait(projectId: number, signal?: AbortSignal): Promise<boolean> {
    const end = Date.now() + this.maxWaitMs;
    for (;;) {
      const state = await this.projects.findRepositoryState(projectId);
      if (state === null || state === 'ready') return true;
      if (Date.now() >= end || signal?.aborted) return false;
      await pause(signal);
    }
  }
}

/** Ends early when the signal is aborted. */
async function pause(signal: AbortSignal | undefined): Promise<void> {
  await delay(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
}
