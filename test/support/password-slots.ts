import { PasswordThrottle } from '../../src/modules/users/index.js';
import { Deferred } from '../../src/platform/async/index.js';
import { PASSWORD_HASHES } from '../../src/modules/users/authentication/password-throttle.js';
import type { Trellis } from './trellis.js';

/** Works while other addresses compare passwords in all slots. */
export async function withoutPasswordSlots<T>(
  trellis: Trellis,
  work: () => Promise<T>,
): Promise<T> {
  const throttle = trellis.app.get(PasswordThrottle);
  const released = new Deferred<boolean>();
  const held = Array.from({ length: PASSWORD_HASHES.total }, (_, index) => {
    const address = `127.4.0.${String(index)}`;
    return throttle.forSession(address)(address, () => released.promise);
  });
  try {
    return await work();
  } finally {
    released.resolve(true);
    await Promise.all(held);
  }
}
