import type { SshKey } from '../owned-records/keys/ssh-key.entity.js';
import { V4UserProfileView } from './user.view.js';

/** A public key. */
export class V4SshKeyView {
  id!: number;
  title!: string;
  created_at!: Date;
  /** Always null: keys do not expire. */
  expires_at!: string | null;
  key!: string;
  /** Always `auth_and_signing`. */
  usage_type!: string;
}

/** An SSH key with the account that it belongs to. */
export class V4SshKeyWithUserView extends V4SshKeyView {
  /** Null for a deploy key. */
  user!: V4UserProfileView | null;
}

export function presentV4SshKey({ id, title, key, createdAt }: SshKey): V4SshKeyView {
  return {
    id,
    title,
    created_at: createdAt,
    expires_at: null,
    key,
    usage_type: 'auth_and_signing',
  };
}
