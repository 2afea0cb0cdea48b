import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../activity/index.js';
import { SshKeysChanged } from '../../users/index.js';
import { DeployKeysRepository } from './deploy-keys.repository.js';

/** Keys that one call takes away from deleted projects at most. */
const CHUNK = 500;

/** Takes deploy keys away from projects; a key goes with its last project. */
@Injectable()
export class UnlinkDeployKeys {
  constructor(
    private readonly keys: DeployKeysRepository,
    private readonly events: DomainEvents,
  ) {}

  /** In the caller's unit of work. @returns false where the project has no such key */
  async unlinkOne(projectId: number, keyId: number): Promise<boolean> {
    return this.unlink([projectId], [keyId]);
  }

  /**
   * Some of the keys of deleted projects, in the caller's unit of work.
   * @returns whether there may be more
   */
  async unlinkSomeOf(projectIds: readonly number[]): Promise<boolean> {
    const keyIds = await this.keys.someOf(projectIds, CHUNK);
    if (keyIds.length > 0) await this.unlink(projectIds, keyIds);
    return keyIds.length === CHUNK;
  }

  /**
   * The keys are locked before their links are looked at: whoever links one meanwhile has either committed
   * the link, so that the key stays, or finds no key any more.
   */
  private async unlink(projectIds: readonly number[], keyIds: readonly number[]): Promise<boolean> {
    const locked = await this.keys.lock(keyIds);
    const isUnlinked = await this.keys.unlink(projectIds, locked);
    const removed = await this.keys.removeUnlinked(locked);
    if (removed.length > 0) await this.events.publish(new SshKeysChanged(removed, 'removed'));
    return isUnlinked;
  }
}
