import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AttachedValue } from '../../async/index.js';
import { JSON_TYPE } from '../answers/send-json.js';
import { isRefused } from './connection-turns.js';
import { CROSS_ORIGIN_HEADERS } from './cross-origin.js';

/** By the code of the parser's error; all other errors are 400. */
const STATUS_BY_CODE: ReadonlyMap<string, number> = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
]);

/**
 * Answers requests that the parser could not read, for example with headers above 16 KiB, in JSON like every other
 * refusal, and closes the connection. Without this, Node answers the same statuses without a body.
 */
export function answerUnreadableRequests(server: Server): void {
  const latest = new AttachedValue<ServerResponse>();
  server.on('request', (request, response) => latest.set(request.socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // Answers to earlier requests, and the refusal, are still to be sent.
    if (isRefused(socket) && error.code !== 'ECONNRESET') return;
    const response = latest.get(socket);
    // After the beginning of another response, this one would be read as a part of it.
    const isAnswering = response?.headersSent === true && !response.writableFinished;
    if (!socket.writable || isAnswering || error.code === 'ECONNRESET') socket.destroy();
    else socket.end(answerTo(error), () => socket.destroy());
  });
}

function answerTo({ code = '' }: NodeJS.ErrnoException): string {
  const status = STATUS_BY_CODE.get(code) ?? 400;
  const title = `${String(status)} ${STATUS_CODES[status] ?? ''}`;
  const body = JSON.stringify({ error: title });
  return [
    `HTTP/1.1 ${title}`,
    'Connection: close',
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    'X-Content-Type-Options: nosniff',
    // Its path is not known, and may be one of the API.
    ...CROSS_ORIGIN_HEADERS.map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n');
}
