import { DomainEvent } from '../../../activity/index.js';
import type { SshKey } from './ssh-key.entity.js';

/** SSH keys of accounts or deploy keys were added or removed; published in the same transaction. */
@DomainEvent()
export class SshKeysChanged {
  constructor(
    readonly keys: readonly SshKey[],
    readonly change: 'added' | 'removed',
  ) {}
}
