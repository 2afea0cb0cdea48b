import type { LockOwners } from '../git/index.js';
import type { ProcessLease } from '../platform/cluster/index.js';

const OWNER = /^([0-9a-f-]{36}):(\d{1,9})$/;

/** Writes the owner of the lease into lock files in repositories. Git is opened before there is a lease. */
export class LeasedLocks implements LockOwners {
  private lease: ProcessLease | undefined;

  constructor(readonly machine: string) {}

  /** Uses the lease from now on. */
  follow(lease: ProcessLease): void {
    this.lease = lease;
  }

  current(): string | null {
    const owner = this.lease?.owner ?? null;
    return owner && `${owner.processId}:${String(owner.epoch)}`;
  }

  isOver(owner: string): Promise<boolean> {
    const [, processId = '', epoch] = OWNER.exec(owner) ?? [];
    if (this.lease === undefined || epoch === undefined) return Promise.resolve(false);
    return this.lease.isOver({ processId, epoch: Number(epoch) });
  }
}
