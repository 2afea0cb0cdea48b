import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../activity/index.js';
import { SshKeysChanged } from '../../users/index.js';
import { DeployKeysRepository } from './deploy-keys.repository.js';

/** Maximum number of keys that one call unlinks from deleted projects. */
const CHUNK = 500;

/** Unlinks deploy keys from projects, and deletes keys without remaining links. */
@Injectable()
export class UnlinkDeployKeys {
  constructor(
    private readonly keys: DeployKeysRepository,
    private readonly events: DomainEvents,
  ) {}

  /** Unlinks a key in the caller's transaction. @returns false if the project has no such key */
  async unlinkOne(projectId: number, keyId: number): Promise<boolean> {
    return this.unlink([projectId], [keyId]);
  }

  /**
   * Unlinks up to 500 keys of deleted projects in the caller's transaction.
   * @returns whether there may be more
   */
  async unlinkSomeOf(projectIds: readonly number[]): Promise<boolean> {
    const keyIds = await this.keys.someOf(projectIds, CHUNK);
    if (keyIds.length > 0) await this.unlink(projectIds, keyIds);
    return keyIds.length === CHUNK;
  }

  /**
   * Locks keys first: a concurrent link is either committed, and the key stays, or finds no key.
   */
  private async unlink(projectIds: readonly number[], keyIds: readonly number[]): Promise<boolean> {
    const locked = await this.keys.lock(keyIds);
    const isUnlinked = await this.keys.unlink(projectIds, locked);
    const removed = await this.keys.removeUnlinked(locked);
    if (removed.length > 0) await this.events.publish(new SshKeysChanged(removed, 'removed'));
    return isUnlinked;
  }
}
