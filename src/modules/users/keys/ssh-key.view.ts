import type { UserView } from '../user.view.js';

/** A public key (specification 2.16). */
export class SshKeyView {
  id!: number;
  title!: string;
  key!: string;
  created_at!: Date;
}

/** A public key and whose it is. */
export class SshKeyWithUserView extends SshKeyView {
  /** Null for a deploy key. */
  user!: UserView | null;
}
