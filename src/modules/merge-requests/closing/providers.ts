import { CloseDetached } from './close-detached.js';
import { FollowForks } from './follow-forks.js';

/** Closing what cannot be merged any more. */
export const CLOSING_PROVIDERS = [CloseDetached, FollowForks];
