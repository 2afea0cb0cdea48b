import { Injectable } from '@nestjs/common';
import { runAs } from '../../../platform/async/index.js';
import {
  TransactionPool,
  UnitOfWork,
  type UnitOfWorkOptions,
} from '../../../platform/database/index.js';
import { type PushClaim, PushQueue, type PushQueueCounts } from './push-queue.js';
import { RepositoryLocks } from './repository-locks.repository.js';

type HoldOptions = Pick<UnitOfWorkOptions, 'retry'>;

/**
 * The push lock of projects (docs/lock-order.md). While it is held, no other process moves refs of the
 * project, so branches that are read keep their values until the unit of work is committed. That keeps a connection
 * while git works, so it is one of a pool of its own (docs/decisions/0006-push-intents.md).
 */
@Injectable()
export class PushLock {
  private readonly queue: PushQueue;

  constructor(
    private readonly pool: TransactionPool,
    private readonly work: UnitOfWork,
    private readonly locks: RepositoryLocks,
  ) {
    // One connection stays for what these units of work run detached.
    this.queue = new PushQueue(pool.size - 1);
  }

  /** Units of work of this process that hold push locks, or are about to take them, and those that wait in the queue. */
  get counts(): PushQueueCounts {
    return this.queue.counts;
  }

  /**
   * Runs a unit of work that holds the push locks of some projects. Must not be called within another unit
   * of work, which would hold its connection while this one waits.
   */
  hold<T>(claim: PushClaim, work: () => Promise<T>, options: HoldOptions = {}): Promise<T> {
    // In one order for all, so that waiting cannot deadlock.
    const projectIds = [...new Set(claim.projectIds)].sort((a, b) => a - b);
    const lockedWork = async (): Promise<T> => {
      for (const id of projectIds) await this.locks.take(id);
      return work();
    };
    return this.run({ ...claim, projectIds }, lockedWork, options);
  }

  /** As `hold` for one project; does nothing when other work holds its push lock, or of this process waits for it. */
  async holdIfFree(projectId: number, work: () => Promise<void>): Promise<void> {
    if (this.queue.isClaimed(projectId)) return;
    await this.run({ projectIds: [projectId], userId: null }, async () => {
      if (await this.locks.tryTake(projectId)) await work();
    });
  }

  private run<T>(claim: PushClaim, work: () => Promise<T>, options: HoldOptions = {}): Promise<T> {
    const { pool } = this;
    return this.queue.run(claim, () =>
      runAs('push', () => this.work.run(work, { ...options, pool })),
    );
  }
}
