import type { Request } from 'express';
import { tooLarge } from '../../../errors/index.js';
import {
  ANONYMOUS_BODY,
  ANONYMOUS_BYTES_IN_FLIGHT,
  BODY_BYTES_IN_FLIGHT,
  type BodyLimit,
  FairSlots,
  ORDINARY_BODY,
  type ReleaseSlot,
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
  /** Forms of unknown callers are kept up to this size: clients append the credential. */
  readonly unidentifiedBytes: number;
  /** What is held at most of a body that is passed on as it comes. */
  readonly heldBytes?: number;
}

/**
 * How many bytes of a body are read. What an anonymous caller may send is read in any case; more only if the
 * URL, the headers or the part that was read contain a valid credential. The memory stays reserved until
 * the response has been sent.
 */
export class BodyAllowance {
  /** Bytes that may be read now. */
  bytes = 0;
  private isIdentified = false;
  private release: ReleaseSlot = () => undefined;

  private constructor(
    private readonly request: Request,
    private readonly terms: AllowanceTerms,
  ) {
    request.res?.once('close', () => this.release());
  }

  /** @throws DomainError `too-large`; SlotsTakenError */
  static async open(request: Request, terms: AllowanceTerms): Promise<BodyAllowance> {
    const allowance = new BodyAllowance(request, terms);
    const announced = announcedBytes(request) ?? 0;
    if (announced > terms.limit.bytes) throw tooLarge();
    if (announced > ANONYMOUS_BODY.bytes) await allowance.widen(undefined);
    else await allowance.reserve(terms.memory.anonymous, ANONYMOUS_BODY.bytes);
    return allowance;
  }

  /**
   * Allows more, because more has come or is announced.
   * @param token the credential in the part that was read
   * @throws DomainError `too-large`; SlotsTakenError
   */
  async widen(token: string | undefined): Promise<void> {
    const { limit, memory, unidentifiedBytes } = this.terms;
    if (this.isIdentified) throw tooLarge();
    if (await this.identify(token)) {
      await this.reserve(memory.known, limit.bytes);
      return;
    }
    const wider = Math.min(limit.bytes, unidentifiedBytes);
    if (this.bytes >= wider) throw tooLarge();
    await this.reserve(memory.anonymous, wider);
  }

  /**
   * Checks a body that has been read completely.
   * @throws DomainError `too-large` if it is larger than an anonymous caller may send, and the caller is unknown
   */
  async conclude(size: number, token: () => string | undefined): Promise<void> {
    if (size <= ANONYMOUS_BODY.bytes || this.isIdentified) return;
    if (!(await this.identify(token()))) throw tooLarge();
  }

  private async identify(tokenInBody: string | undefined): Promise<boolean> {
    const { knowsToken } = this.terms;
    for (const token of [tokenInBody, readCredential(this.request).token]) {
      if (token !== undefined && (await knowsToken(token))) this.isIdentified = true;
    }
    return this.isIdentified;
  }

  private async reserve(memory: FairSlots, bytes: number): Promise<void> {
    const { heldBytes = Number.POSITIVE_INFINITY } = this.terms;
    const size = Math.min(announcedBytes(this.request) ?? bytes, bytes, heldBytes);
    const before = this.release;
    const caller = { address: clientAddress(this.request) };
    this.release = await memory.acquire(caller, undefined, size);
    before();
    this.bytes = bytes;
    // The response may have been sent meanwhile, or the client may have disconnected.
    if (this.request.res?.closed === true) this.release();
  }
}

/** The most of a form that is kept of a caller who may still be identified by it. */
export const UNIDENTIFIED_FORM_BYTES = ORDINARY_BODY.bytes;
