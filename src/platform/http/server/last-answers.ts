import { type ServerResponse, STATUS_CODES } from 'node:http';
import { JSON_TYPE } from '../answers/send-json.js';
import type { ErrorAnswer } from '../errors/room-answers.js';
import { CROSS_ORIGIN_HEADERS } from './cross-origin.js';

// Answers that are sent without Express, each the last one of its connection.

/** The text of an answer to a connection of which no request could be read. */
export function lastAnswer(answer: ErrorAnswer): string {
  const { headers, json } = partsOf(answer);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${titleOf(answer.status)}\r\n${lines.join('')}\r\n${json}`;
}

/** Refuses a request, and closes its connection behind the answers before it. */
export function refuseAsLast(response: ServerResponse, answer: ErrorAnswer): void {
  const { headers, json } = partsOf(answer);
  response.writeHead(answer.status, headers).end(json);
}

export const titleOf = (status: number): string =>
  `${String(status)} ${STATUS_CODES[status] ?? ''}`;

function partsOf({ headers, body }: ErrorAnswer): {
  headers: Record<string, string>;
  json: string;
} {
  const json = JSON.stringify(body);
  return {
    json,
    headers: {
      ...headers,
      Connection: 'close',
      'Content-Type': JSON_TYPE,
      'Content-Length': String(Buffer.byteLength(json)),
      'X-Content-Type-Options': 'nosniff',
      // The path may not be known, and may be one of the API.
      ...Object.fromEntries(CROSS_ORIGIN_HEADERS),
    },
  };
}
