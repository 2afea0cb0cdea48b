import type { RequestHandler, Response } from 'express';
import {
  type AccessRecheck,
  API_REQUESTS,
  FairSlots,
  type ReleaseSlot,
  type SlotCaller,
} from '../../limits/index.js';
import { AttachedValue } from '../../async/index.js';
import { hasParameters } from '../page-paths.js';
import { clientAddress } from '../request/client-address.js';
import { disconnection } from '../request/disconnection.js';

/** What the guards have checked for a response, to be checked again where it waits before it is sent. */
export const checkedAccess = new AttachedValue<AccessRecheck>();

/** Lets one address have many requests of the API and of pages under way, but not all that the process serves. */
export function requestSlots(): RequestHandler {
  const slots = new FairSlots(API_REQUESTS);
  return (request, response, next) => {
    if (!hasParameters(request)) {
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
 * @param access what was checked before, if the slot is for a request that reads later
 * @throws SlotsTakenError, the refusal of the access
 */
export async function holdSlot(
  slots: FairSlots,
  caller: SlotCaller,
  response: Response,
  access?: AccessRecheck,
): Promise<void> {
  const take = async (): Promise<ReleaseSlot> => {
    const release = await slots.acquire(caller, disconnection(response.req));
    // At once: the client may leave while the access is checked.
    response.once('close', release);
    return release;
  };
  await (access === undefined ? take() : access.afterWait(take()));
}
