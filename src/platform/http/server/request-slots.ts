import type { RequestHandler, Response } from 'express';
import { API_REQUESTS, FairSlots, type SlotCaller } from '../../limits/index.js';
import { hasParameters } from '../api-paths.js';
import { clientAddress } from '../request/client-address.js';
import { disconnection } from '../request/disconnection.js';

/** Lets one address have many requests of the API and of pages under way, but not all that the process serves. */
export function requestSlots(): RequestHandler {
  const slots = new FairSlots(API_REQUESTS);
  return (request, response, next) => {
    if (!hasParameters(request.path)) {
      next();
      return;
    }
    const caller = { address: clientAddress(request) };
    const release = slots.tryTake(caller);
    if (release === undefined) {
      holdSlot(slots, caller, response).then(() => next(), next);
    } else {
      response.once('close', release);
      next();
    }
  };
}

/**
 * Takes a slot until the response has been sent or its client has disconnected; waits for a free one.
 * @throws SlotsTakenError
 */
export async function holdSlot(
  slots: FairSlots,
  caller: SlotCaller,
  response: Response,
): Promise<void> {
  const release = await slots.acquire(caller, disconnection(response.req));
  response.once('close', release);
}
