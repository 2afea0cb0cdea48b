import type { Request } from 'express';
import { tooLarge } from '../../../errors/index.js';
import {
  ANONYMOUS_BODY,
  ANONYMOUS_BYTES_IN_FLIGHT,
  BODY_BYTES_IN_FLIGHT,
  type BodyLimit,
  FairSlots,
} from '../../../limits/index.js';
import { announcedBytes } from './body-bytes.js';
import { clientAddress } from '../client-address.js';
import { readCredential } from '../credential.js';

/** Whether a private token belongs to an account that may call. */
export type KnowsToken = (token: string) => Promise<boolean>;

/** The body bytes that a process holds. */
export class BodyMemory {
  readonly known = new FairSlots(BODY_BYTES_IN_FLIGHT);
  readonly anonymous = new FairSlots(ANONYMOUS_BYTES_IN_FLIGHT);
}

export interface AllowanceTerms {
  readonly limit: BodyLimit;
  readonly memory: BodyMemory;
  readonly knowsToken: KnowsToken;
  /** What is read at most where neither URL nor headers have a valid credential. */
  readonly unknownBytes: number;
  /** What is held at most of a body that is passed on as it comes. */
  readonly heldBytes?: number;
}

/** How many bytes of a body may be read. */
export interface BodyAllowance {
  readonly bytes: number;
  /** Whether the URL or the headers have a valid credential; false also for small bodies, for which none is looked up. */
  readonly isKnown: boolean;
}

/**
 * Decides how many bytes of a body are read, before it is read, and reserves the memory until the response has been sent.
 * The caller of a body that announces no more than anonymous ones may send is not looked up: that would cost every write a
 * statement.
 * @throws DomainError `too-large`; SlotsTakenError
 */
export async function allowBody(request: Request, terms: AllowanceTerms): Promise<BodyAllowance> {
  const { limit, memory, heldBytes = Number.POSITIVE_INFINITY } = terms;
  const announced = announcedBytes(request);
  if ((announced ?? 0) > limit.bytes) throw tooLarge();
  const isSmall = announced !== undefined && announced <= ANONYMOUS_BODY.bytes;
  const isKnown = !isSmall && (await hasValidCredential(request, terms.knowsToken));
  const bytes = isKnown ? limit.bytes : Math.min(limit.bytes, terms.unknownBytes);
  if ((announced ?? 0) > bytes) throw tooLarge();
  const held = Math.min(announced ?? bytes, heldBytes);
  await reserve(request, isKnown ? memory.known : memory.anonymous, held);
  return { bytes, isKnown };
}

async function hasValidCredential(request: Request, knowsToken: KnowsToken): Promise<boolean> {
  const { token } = readCredential(request);
  return token !== undefined && (await knowsToken(token));
}

async function reserve(request: Request, memory: FairSlots, bytes: number): Promise<void> {
  const release = await memory.acquire({ address: clientAddress(request) }, undefined, bytes);
  request.res?.once('close', release);
  // The response may have been sent meanwhile, or the client may have disconnected.
  if (request.res?.closed === true) release();
}
