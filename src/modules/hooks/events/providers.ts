import { AccountEvents } from './account-events.js';
import { CommitEvents } from './commit-events.js';
import { HookEvents } from './hook-events.js';
import { IssuableEvents } from './issuable-events.js';
import { PushEvents } from './push-events.js';
import { SystemEvents } from './system-events.js';

/** What makes deliveries of what happens. */
export const EVENT_PROVIDERS = [
  AccountEvents,
  CommitEvents,
  HookEvents,
  IssuableEvents,
  PushEvents,
  SystemEvents,
];
