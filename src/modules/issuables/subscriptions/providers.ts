import { Subscriptions } from './subscriptions.js';

/** Who wants to hear of what. */
export const SUBSCRIPTION_PROVIDERS = [Subscriptions];
