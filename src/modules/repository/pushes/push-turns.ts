import { Injectable } from '@nestjs/common';
import { Mutex, Semaphore } from 'async-mutex';
import { Config } from '../../../platform/config/index.js';

/**
 * Lets pushes take their turn before they take a database connection. A push holds its connection
 * (and with it the project's push lock) while git moves the refs, and needs a second one to
 * reserve room and write its intent: at most a third of the pool may be held, so that the second is always to be had.
 */
@Injectable()
export class PushTurns {
  private readonly connections: Semaphore;
  private readonly projects = new Map<number, Mutex>();

  constructor(config: Config) {
    this.connections = new Semaphore(Math.max(1, Math.floor(config.database.poolSize / 3)));
  }

  /** Runs `work` when no other push of the project is, and a connection may be held. */
  take<T>(projectId: number, work: () => Promise<T>): Promise<T> {
    return this.takeAll([projectId], work);
  }

  /** The same for several projects, in ascending order of their IDs: nobody waits in a circle. */
  takeAll<T>(projectIds: readonly number[], work: () => Promise<T>): Promise<T> {
    const [first, ...others] = projectIds;
    if (first === undefined) return this.connections.runExclusive(work);
    return this.inProject(first, () => this.takeAll(others, work));
  }

  private async inProject<T>(projectId: number, work: () => Promise<T>): Promise<T> {
    const mutex = this.projects.get(projectId) ?? new Mutex();
    this.projects.set(projectId, mutex);
    try {
      return await mutex.runExclusive(work);
    } finally {
      if (!mutex.isLocked()) this.projects.delete(projectId);
    }
  }
}
