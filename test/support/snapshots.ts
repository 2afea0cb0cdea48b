import { setTimeout as delay } from 'node:timers/promises';
import { Snapshot } from '../../src/git/storage/repository-view.js';
import type { Trellis } from './trellis.js';

const ORDINARY_MS = 1_000;
const SHORT_MS = 20;

/** Has what was read of repositories be current for a short time, until the shared service is restored. */
export function shortenSnapshots(trellis: Trellis): void {
  expect(Snapshot.lifetimeMs).toBe(ORDINARY_MS);
  Object.assign(Snapshot, { lifetimeMs: SHORT_MS });
  trellis.afterwards(() => {
    Object.assign(Snapshot, { lifetimeMs: ORDINARY_MS });
  });
}

/** Resolves when what was read before is not current any more. */
export function snapshotsEnd(): Promise<void> {
  return delay(2 * SHORT_MS);
}
