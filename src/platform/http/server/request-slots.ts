import type { Request, RequestHandler, Response } from 'express';
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

/** What the guards have checked for a response. */
interface CheckedAccess {
  /** Checks it again where the response waits before it is sent. */
  readonly recheck: AccessRecheck;
  /** The account that the request runs as; undefined when it is anonymous. */
  readonly userId: number | undefined;
}

export const checkedAccess = new AttachedValue<CheckedAccess>();

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
  size = 1,
): Promise<void> {
  const take = async (): Promise<ReleaseSlot> => {
    const release = await slots.acquire(caller, disconnection(response.req), size);
    // At once: the client may leave while the access is checked.
    if (response.closed) release();
    else response.once('close', release);
    return release;
  };
  await (access === undefined ? take() : access.afterWait(take()));
}

/**
 * Does the same for the caller that the guards have found.
 * @param size how many slots
 */
export async function holdCheckedSlot(
  slots: FairSlots,
  response: Response,
  size = 1,
): Promise<void> {
  const { recheck } = checkedAccess.get(response) ?? {};
  await holdSlot(slots, checkedCaller(response), response, recheck, size);
}

/**
 * Takes slots for the same caller without waiting, for a response that is in memory already.
 * @throws SlotsTakenError
 */
export function takeCheckedSlot(slots: FairSlots, response: Response, size: number): void {
  // What has closed already would never give them back.
  if (response.closed) return;
  response.once('close', slots.take(checkedCaller(response), size));
}

const checkedCaller = (response: Response): SlotCaller => ({
  address: clientAddress(response.req as Request),
  userId: checkedAccess.get(response)?.userId,
});
