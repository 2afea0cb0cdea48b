import { UsersService } from '../../src/modules/users/index.js';
import type { Trellis } from './trellis.js';

/** Erases accounts as soon as they are deleted, instead of some seconds later, until `trellis.restore()`. */
export function eraseAtOnce(trellis: Trellis): void {
  const users = trellis.app.get(UsersService);
  const { erasureDelayMs } = users;
  Object.assign(users, { erasureDelayMs: 0 });
  trellis.afterwards(() => void Object.assign(users, { erasureDelayMs }));
}
