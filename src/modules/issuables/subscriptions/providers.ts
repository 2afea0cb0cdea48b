import { SubscriptionErasure } from './subscription-erasure.js';
import { Subscriptions } from './subscriptions.js';

/** Who wants to hear of what. */
export const SUBSCRIPTION_PROVIDERS = [SubscriptionErasure, Subscriptions];
