import type { SshKey } from './ssh-key.entity.js';

/** An account has another key, or one key less; published in the unit of work that writes it. */
export class SshKeyChanged {
  constructor(
    readonly key: SshKey,
    readonly change: 'added' | 'removed',
  ) {}
}
