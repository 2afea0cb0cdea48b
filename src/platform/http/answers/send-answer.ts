import type { Request, Response } from 'express';
import { once } from 'node:events';
import { ClientDisconnectedError } from '../../errors/index.js';
import { type FairSlots, ONE_PIECE_CHARACTERS } from '../../limits/index.js';
import { Page, type PageNumbers } from '../../pagination/index.js';
import { holdCheckedSlot, takeCheckedSlot } from '../server/request-slots.js';
import type { ApiFace, SuccessStatus } from '../face/api-face.js';
import type { AnswerPlan } from './answer.guard.js';
import { JSON_TYPE, sendJson } from './send-json.js';
import { endIfKnown, validatorOf } from './validators.js';

/** Headers by name. */
type Headers = Readonly<Record<string, string>>;

/** The result of a handler that knows on what the answer depends before it has the answer. */
export class VersionedAnswer {
  /**
   * @param version identifies the content of this address: equal for equal content, in all processes
   * @param make makes what the handler would return otherwise, for a face; not called for a client that has this version
   * @param weigh returns about how many bytes of memory it takes to make and send that, if these are often many. They are taken
   *   from `ANSWER_MEMORY` before `make` is called, until the answer has left. What a large body has beyond is taken when it
   *   is sent
   */
  constructor(
    readonly version: string,
    readonly make: (face: ApiFace) => Promise<unknown>,
    readonly weigh?: (face: ApiFace) => number | Promise<number>,
  ) {}
}

/** The slots that answers may need. */
export interface AnswerSlots {
  /** Of lists that are sent item by item. */
  readonly longLists: FairSlots;
  /** Bytes of answers that are made before they are sent. */
  readonly memory: FairSlots;
}

/**
 * The result of a handler that has the JSON already; it is sent as it is. For responses that are cached or
 * composed of cached parts; otherwise returning the object is cheaper.
 */
export class Serialized {
  private shown: { address: string; headers: Headers } | undefined;

  /**
   * @param json the whole body
   * @param page of a list, the numbers of the page that the body holds; they become headers
   * @param headers further headers, of what is no list
   */
  constructor(
    readonly json: string | Buffer,
    readonly page?: PageNumbers,
    readonly headers?: Headers,
  ) {}

  /** Returns the headers for an address, from the last call if it had the same address. */
  headersFor(address: string, make: () => Headers): Headers {
    if (this.shown?.address !== address) this.shown = { address, headers: make() };
    return this.shown.headers;
  }
}

/** The result of a handler whose success has another status this time, documented by `@AlsoAnswers`. */
export class AnswerWithStatus {
  constructor(
    readonly status: SuccessStatus,
    readonly body: object,
  ) {}
}

/**
 * Answers what a handler of the API returned: status, headers and body, in one piece except for long lists. What is
 * read has a validator, except for long lists without a version: their body is not known when the headers are sent.
 * @throws SlotsTakenError, ClientDisconnectedError (the promise), and what a `VersionedAnswer` throws
 */
export function sendAnswer(
  response: Response,
  result: unknown,
  plan: AnswerPlan,
  slots: AnswerSlots,
): Promise<void> | undefined {
  if (result instanceof AnswerWithStatus) {
    return sendAnswer(response, result.body, { ...plan, status: result.status }, slots);
  }
  response.statusCode = plan.status;
  if (result instanceof VersionedAnswer) return sendVersioned(response, result, plan, slots);
  return sendResult(response, result, plan, slots);
}

async function sendVersioned(
  response: Response,
  { version, make, weigh }: VersionedAnswer,
  plan: AnswerPlan,
  slots: AnswerSlots,
): Promise<void> {
  const validator = validatorOf(`${plan.representation} ${plan.externalUrl()} ${version}`);
  if (endIfKnown(response, validator)) return;
  const weighed = (await weigh?.(plan.face)) ?? 0;
  if (weighed > 0) await holdCheckedSlot(slots.memory, response, weighed);
  await sendResult(response, await make(plan.face), plan, slots, weighed);
}

/** @param weighed bytes of `slots.memory` that the response holds */
function sendResult(
  response: Response,
  result: unknown,
  plan: AnswerPlan,
  slots: AnswerSlots,
  weighed = 0,
): Promise<void> | undefined {
  const count = (bytes: number): void => {
    if (bytes > weighed) takeCheckedSlot(slots.memory, response, bytes - weighed);
  };
  if (plan.status === 204) {
    response.end();
  } else if (result instanceof Serialized) {
    const { page } = result;
    const { url } = response.req as Request;
    const headers =
      page && result.headersFor(url, () => plan.face.pageHeaders(page, plan.externalUrl(), url));
    sendBody(response, result.json, headers ?? result.headers, count);
  } else if (result instanceof Page) {
    const { url } = response.req as Request;
    const headers = plan.face.pageHeaders(result, plan.externalUrl(), url);
    return sendPage(response, result, headers, slots.longLists);
  } else if ((result === undefined || result === null) && plan.emptyWhenAbsent) {
    response.setHeader('Content-Length', 0);
    response.end();
  } else {
    sendBody(response, JSON.stringify(result ?? null), {}, count);
  }
  return undefined;
}

/**
 * Sends a body with its headers, or 304 to a reader that has both.
 * @param count takes the bytes of a large body that is read
 * @throws what `count` throws
 */
function sendBody(
  response: Response,
  json: string | Buffer,
  headers: Headers = {},
  count?: (bytes: number) => void,
): void {
  const { method } = response.req as Request;
  const isRead = method === 'GET' || method === 'HEAD';
  // That of a `VersionedAnswer` is set already.
  const needsValidator = isRead && !response.hasHeader('ETag');
  if (needsValidator) {
    // Each byte as a character: quicker than decoding.
    const text = typeof json === 'string' ? json : json.toString('latin1');
    const basis = [...Object.values(headers), text].join('\n');
    if (endIfKnown(response, validatorOf(basis))) return;
  }
  // What has been written is answered in any case.
  if (isRead && json.length > ONE_PIECE_CHARACTERS) count?.(Buffer.byteLength(json));
  setHeaders(response, headers);
  sendJson(response, json);
}

function setHeaders(response: Response, headers: Headers): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/**
 * Answers a page in one piece; a long one item by item, each when the client has taken what was before it.
 *
 * @param slots for the long ones
 * @throws SlotsTakenError, ClientDisconnectedError, the refusal of lost access (the promise, of a long page)
 */
function sendPage(
  response: Response,
  page: Page<unknown>,
  headers: Headers,
  slots: FairSlots,
): Promise<void> | undefined {
  const json = page.rest === null ? jsonInOnePiece(page.items) : null;
  if (json !== null) {
    sendBody(response, json, headers);
    return undefined;
  }
  return sendItems(response, page, headers, slots);
}

/** Null for more than `ONE_PIECE_CHARACTERS`, which is noticed before much more is in memory. */
function jsonInOnePiece(items: readonly unknown[]): string | null {
  const parts: string[] = [];
  let characters = 0;
  for (const item of items) {
    const json = JSON.stringify(item);
    characters += json.length;
    if (characters > ONE_PIECE_CHARACTERS) return null;
    parts.push(json);
  }
  return `[${parts.join(',')}]`;
}

/** @throws SlotsTakenError, ClientDisconnectedError, the refusal of access that was taken away during the wait */
async function sendItems(
  response: Response,
  page: Page<unknown>,
  headers: Headers,
  slots: FairSlots,
): Promise<void> {
  const { method } = response.req as Request;
  await holdCheckedSlot(slots, response);
  setHeaders(response, headers);
  response.setHeader('Content-Type', JSON_TYPE);
  if (method === 'HEAD') {
    response.end();
    return;
  }
  let begun = '[';
  for await (const items of partsOf(page)) {
    for (const item of items) {
      if (!response.write(begun + JSON.stringify(item))) await taken(response);
      begun = ',';
    }
  }
  response.end(begun === '[' ? '[]' : ']');
}

async function* partsOf({ items, rest }: Page<unknown>): AsyncGenerator<readonly unknown[]> {
  yield items;
  if (rest !== null) yield* rest();
}

/** Resolves when the client has taken what was written. @throws ClientDisconnectedError */
async function taken(response: Response): Promise<void> {
  const settled = new AbortController();
  const { signal } = settled;
  try {
    if (response.closed) throw new ClientDisconnectedError();
    await Promise.race([
      once(response, 'drain', { signal }),
      once(response, 'close', { signal }).then(() => {
        throw new ClientDisconnectedError();
      }),
    ]);
  } finally {
    settled.abort();
  }
}
