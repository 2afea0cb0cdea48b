import type { UserView } from './user.view.js';
import type { SshKey } from '../owned-records/keys/ssh-key.entity.js';

/** A public key. */
export class SshKeyView {
  id!: number;
  title!: string;
  key!: string;
  created_at!: Date;
}

/** A public key with its account. */
export class SshKeyWithUserView extends SshKeyView {
  /** Null for a deploy key. */
  user!: UserView | null;
}

export function presentSshKey({ id, title, key, createdAt }: SshKey): SshKeyView {
  return { id, title, key, created_at: createdAt };
}
