import { UsersService } from '../../src/modules/users/index.js';
import type { Trellis } from './trellis.js';

/** Erases accounts as soon as they are deleted, instead of some seconds later. */
export function eraseAtOnce(trellis: Trellis): void {
  Object.assign(trellis.app.get(UsersService), { erasureDelayMs: 0 });
}
