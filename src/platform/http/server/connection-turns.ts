import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AttachedValue } from '../../async/index.js';
import { tooManyRequests } from '../../errors/index.js';
import { DISCARD_PACE, MAX_PIPELINED } from '../../limits/index.js';
import { exceededBudgets } from '../../metrics/index.js';
import { answerOf } from '../errors/refusal-answers.js';
import { replaceClose, stopRequests } from '../internals/node.js';
import { refuseAsLast } from './last-answers.js';

const MAX_LISTENERS = 30;

/** Connections of which a request was refused. */
const refused = new WeakSet<Duplex>();

/** The requests of a connection. */
interface Turns {
  /** Whether one is being handled. */
  isBusy: boolean;
  /** Those that were read meanwhile. */
  readonly waiting: [IncomingMessage, ServerResponse][];
}

/**
 * Lets the requests of one connection be handled one after the other. Node parses what a client sends without
 * waiting for answers, and would handle hundreds of requests of one chunk in one turn of the event loop, also for
 * a client that reads no answer. The next request begins when the last answer has left. Beyond `MAX_PIPELINED`
 * waiting requests the next one is refused, and nothing behind it is parsed.
 */
export function inTurnOfConnection(handle: RequestListener): RequestListener {
  const connections = new AttachedValue<Turns>();

  const begin = (request: IncomingMessage, response: ServerResponse, turns: Turns): void => {
    // After `Connection: close` its response would never end, nor give back what it holds.
    if (!request.socket.writable) return;
    turns.isBusy = true;
    // Log, drain, slots, bodies and streams each wait for its end: more than Node takes for a leak.
    response.setMaxListeners(MAX_LISTENERS);
    response.once('close', () => {
      turns.isBusy = false;
      const next = turns.waiting.shift();
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
      refused.add(socket);
      stopRequests(socket);
      // Once the requests before it have ended: those with bodies close the connection in a way of their own.
      response.once('prefinish', () => lingerOnClose(socket));
      refuseAsLast(response, answerOf(tooManyRequests(1)));
      exceededBudgets.inc({ budget: 'pipelined_requests' });
    }
  };
}

/** Whether a request of a connection was refused, so that what follows it is dropped. */
export const isRefused = (socket: Duplex): boolean => refused.has(socket);

/**
 * Makes the server end only its own direction of a connection behind the refusal, and read on until the client has
 * ended its own, or for five seconds. Bytes that are not read reset the connection, and answers are lost.
 */
function lingerOnClose(socket: Socket): void {
  replaceClose(socket, () => {
    socket.end();
    const limit = setTimeout(() => socket.destroy(), DISCARD_PACE.windowMs);
    socket.once('close', () => clearTimeout(limit));
  });
}
