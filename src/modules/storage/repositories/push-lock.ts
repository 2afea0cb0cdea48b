import { Injectable } from '@nestjs/common';
import { Mutex, Semaphore } from 'async-mutex';
import { runAs } from '../../../platform/async/index.js';
import { Config } from '../../../platform/config/index.js';
import { UnitOfWork, type UnitOfWorkOptions } from '../../../platform/database/index.js';
import { RepositoryLocks } from './repository-locks.repository.js';

/**
 * The push lock of projects (docs/lock-order.md). While it is held, no other process moves refs of the
 * project, so branches that are read keep their values until the unit of work is committed.
 */
@Injectable()
export class PushLock {
  private readonly queue: PushQueue;

  constructor(
    config: Config,
    private readonly work: UnitOfWork,
    private readonly locks: RepositoryLocks,
  ) {
    this.queue = new PushQueue(config.database.poolSize);
  }

  /**
   * Runs a unit of work that holds the push locks of some projects. Must not be called within another unit
   * of work, which would hold its connection while this one waits.
   */
  hold<T>(
    projectIds: readonly number[],
    work: () => Promise<T>,
    options: UnitOfWorkOptions = {},
  ): Promise<T> {
    const inOrder = [...new Set(projectIds)].sort((a, b) => a - b);
    const lockedWork = async (): Promise<T> => {
      for (const id of inOrder) await this.locks.take(id);
      return work();
    };
    return this.queue.run(inOrder, () => runAs('push', () => this.work.run(lockedWork, options)));
  }
}

/**
 * The queue of a process in which pushes wait before they take a database connection. A push holds its
 * connection while git moves the refs, and needs a second one to reserve storage and to write its intent. Work that waited for
 * its lock with a connection would take that one away. At most a third of the pool is held here.
 */
class PushQueue {
  private readonly connections: Semaphore;
  private readonly projects = new Map<number, Mutex>();

  constructor(poolSize: number) {
    this.connections = new Semaphore(Math.max(1, Math.floor(poolSize / 3)));
  }

  /**
   * Runs work when no other work of these projects runs, and a connection is available.
   * @param projectIds in ascending order, so that waiting cannot deadlock
   */
  run<T>(projectIds: readonly number[], work: () => Promise<T>): Promise<T> {
    const [first, ...others] = projectIds;
    if (first === undefined) return this.connections.runExclusive(work);
    return this.runInProject(first, () => this.run(others, work));
  }

  private async runInProject<T>(projectId: number, work: () => Promise<T>): Promise<T> {
    const mutex = this.projects.get(projectId) ?? new Mutex();
    this.projects.set(projectId, mutex);
    try {
      return await mutex.runExclusive(work);
    } finally {
      if (!mutex.isLocked()) this.projects.delete(projectId);
    }
  }
}
