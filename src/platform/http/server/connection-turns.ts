import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AttachedValue } from '../../async/index.js';
import { tooManyRequests } from '../../errors/index.js';
import { DISCARD_PACE, MAX_DISCARDED_BYTES, MAX_PIPELINED } from '../../limits/index.js';
import { exceededBudgets } from '../../metrics/index.js';
import { answerOf } from '../errors/error-table.js';
import { stopParsing } from '../internals.js';

const MAX_LISTENERS = 30;

/** The requests of a connection. */
interface Turns {
  /** Whether one is being handled. */
  isBusy: boolean;
  /** Those that were read meanwhile. */
  readonly waiting: [IncomingMessage, ServerResponse][];
}

/**
 * Lets the requests of one connection be handled one after the other. The server parses everything that
 * a client sends without waiting for answers, and would handle a thousand requests of one packet in one
 * turn of the event loop, also for a client that reads no answer. The next request begins when the last
 * answer has left.
 */
export function inTurnOfConnection(handle: RequestListener): RequestListener {
  const connections = new AttachedValue<Turns>();

  const begin = (request: IncomingMessage, response: ServerResponse, turns: Turns): void => {
    const { socket } = request;
    turns.isBusy = true;
    // Log, drain, slots, bodies and streams each wait for its end: more than Node takes for a leak.
    response.setMaxListeners(MAX_LISTENERS);
    response.once('close', () => {
      turns.isBusy = false;
      const next = socket.destroyed ? undefined : turns.waiting.shift();
      if (next !== undefined) begin(...next, turns);
    });
    handle(request, response);
  };

  return (request, response) => {
    const { socket } = request;
    const turns = connections.get(socket) ?? { isBusy: false, waiting: [] };
    connections.set(socket, turns);
    if (!turns.isBusy) {
      begin(request, response, turns);
    } else if (turns.waiting.length < MAX_PIPELINED) {
      turns.waiting.push([request, response]);
    } else {
      discardRest(socket);
      refuse(response);
      exceededBudgets.inc({ budget: 'pipelined_requests' });
    }
  };
}

/**
 * Drops what the client of a connection still sends. Behind the refusal, the server ends only its own direction, and
 * reads on until the client has ended its own, or for five seconds: bytes that are not read reset the connection, and
 * answers are lost.
 */
function discardRest(socket: Socket): void {
  const most = socket.bytesRead + MAX_DISCARDED_BYTES;
  stopParsing(socket, () => {
    if (socket.bytesRead > most) socket.destroy();
  });
  socket.destroySoon = () => {
    socket.end();
    const limit = setTimeout(() => socket.destroy(), DISCARD_PACE.windowMs);
    socket.once('close', () => clearTimeout(limit));
  };
}

/** Sends the refusal after the responses before it, and ends the connection. */
function refuse(response: ServerResponse): void {
  const { status, body, headers } = answerOf(tooManyRequests(1));
  response.writeHead(status, {
    ...headers,
    'Content-Type': 'application/json',
    Connection: 'close',
  });
  response.end(JSON.stringify(body));
}
