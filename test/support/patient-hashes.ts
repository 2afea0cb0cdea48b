import { PasswordThrottle } from '../../src/modules/users/index.js';
import { FairSlots, PASSWORD_HASHES } from '../../src/platform/limits/index.js';
import type { Trellis } from './trellis.js';

/** Lets passwords wait for their turn as long as a busy machine needs, in place of being refused. */
export function hashPatiently({ app }: Trellis): void {
  const slots = new FairSlots({ ...PASSWORD_HASHES, waitMs: 60_000 });
  Object.assign(app.get(PasswordThrottle), { slots });
}
