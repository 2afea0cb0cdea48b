import type { Request, Response } from 'express';
import { once } from 'node:events';
import { type FairSlots, ONE_PIECE_CHARACTERS } from '../../limits/index.js';
import type { Page } from '../../pages/index.js';
import { ClientDisconnectedError } from '../../errors/index.js';
import { clientAddress } from '../request/client-address.js';
import { holdSlot } from '../server/request-slots.js';
import { JSON_TYPE, sendJson } from './send-json.js';

/**
 * Answers a page, whose headers are set, in one piece; a long one item by item, each when the client has
 * taken what was before it.
 *
 * @param slots for the long ones
 * @throws SlotsTakenError, ClientDisconnectedError (the promise, of a long page)
 */
export function sendPage(
  response: Response,
  page: Page<unknown>,
  slots: FairSlots,
): Promise<void> | undefined {
  const json = page.rest === null ? jsonInOnePiece(page.items) : null;
  if (json === null) return sendItems(response, page, slots);
  sendJson(response, json);
  return undefined;
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

async function sendItems(response: Response, page: Page<unknown>, slots: FairSlots): Promise<void> {
  const { method } = response.req as Request;
  await holdSlot(slots, { address: clientAddress(response.req as Request) }, response);
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
