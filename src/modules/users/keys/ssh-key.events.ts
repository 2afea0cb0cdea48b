import type { SshKey } from './ssh-key.entity.js';

/** Keys of accounts or deploy keys came or went; published in the unit of work that writes it. */
export class SshKeysChanged {
  constructor(
    readonly keys: readonly SshKey[],
    readonly change: 'added' | 'removed',
  ) {}
}
