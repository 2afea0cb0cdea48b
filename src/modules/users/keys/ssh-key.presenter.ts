import type { SshKey } from './ssh-key.entity.js';
import type { SshKeyView } from './ssh-key.view.js';

export function presentKey({ id, title, key, createdAt }: SshKey): SshKeyView {
  return { id, title, key, created_at: createdAt };
}
