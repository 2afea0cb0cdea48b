import { Injectable } from '@nestjs/common';
import { AccountErasure } from '../../users/index.js';
import { Subscriptions } from './subscriptions.js';

/** Rows that one call of the step removes at most. */
const CHUNK = 500;

/** Subscriptions go with the account (open points 5.15). */
@Injectable()
export class SubscriptionErasure {
  constructor(subscriptions: Subscriptions, erasure: AccountErasure) {
    erasure.register({
      name: 'subscriptions',
      run: async (userId) => (await subscriptions.removeSome(userId, CHUNK)) === CHUNK,
    });
  }
}
