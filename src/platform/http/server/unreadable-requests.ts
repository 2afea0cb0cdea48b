import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AttachedValue } from '../../async/index.js';
import { REFUSED_PIECES_MS } from '../../limits/index.js';
import { SMALL_PIECES } from './body-intake.js';
import { isRefused } from './connection-turns.js';
import { lastAnswer, titleOf } from './last-answers.js';

/** By the code of the parser's error; all other errors are 400. */
const STATUS_BY_CODE: ReadonlyMap<string, number> = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
]);

/** Of refusals whose status says too little. */
const TEXT_BY_CODE: ReadonlyMap<string, string> = new Map([
  [SMALL_PIECES, 'The request body comes in too many small chunks'],
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
    else if (error.code === SMALL_PIECES) refusePieces(socket, error, response);
    else socket.end(answerTo(error), () => socket.destroy());
  });
}

/**
 * Answers the request whose body is read, unless it has its answer, and lets the client read it: a connection with unread
 * bytes that is closed at once is reset, which can overtake the answer.
 */
function refusePieces(socket: Duplex, error: Error, response: ServerResponse | undefined): void {
  const text = response?.writableFinished === true ? '' : answerTo(error);
  socket.end(text, () => {
    setTimeout(() => socket.destroy(), REFUSED_PIECES_MS).unref();
  });
}

function answerTo({ code = '' }: NodeJS.ErrnoException): string {
  const status = STATUS_BY_CODE.get(code) ?? 400;
  const error = TEXT_BY_CODE.get(code) ?? titleOf(status);
  return lastAnswer({ status, body: { error } });
}
