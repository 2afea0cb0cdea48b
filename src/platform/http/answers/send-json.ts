import type { ServerResponse } from 'node:http';

/** Without a `charset`, which JSON does not have: some clients compare the header for equality. */
export const JSON_TYPE = 'application/json';

/**
 * Ends a response with a JSON body; headers and body leave in one piece. Express's own `json` and `send`
 * would add a `charset` to the content type.
 *
 * @param json the serialized body, in UTF-8 when it is bytes
 */
export function sendJson(response: ServerResponse, json: string | Buffer): void {
  response.setHeader('Content-Type', JSON_TYPE);
  response.setHeader('Content-Length', Buffer.byteLength(json));
  response.end(json);
}
