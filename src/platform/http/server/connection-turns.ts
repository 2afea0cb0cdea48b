import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AttachedValue, runPaced } from '../../async/index.js';
import { tooManyRequests } from '../../errors/index.js';
import { DISCARD_PACE, MAX_PIPELINED } from '../../limits/index.js';
import { exceededBudgets } from '../../metrics/index.js';
import { answerOf } from '../errors/error-table.js';

const MAX_LISTENERS = 30;

/** The requests of a connection. */
interface Turns {
  /** Whether one is being handled. */
  isBusy: boolean;
  /** Those that were read meanwhile. */
  readonly waiting: [IncomingMessage, ServerResponse][];
  isRefusing: boolean;
  /** Whether reading has stopped, until it is this connection's turn. */
  isYielding: boolean;
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
    const turns = connections.get(socket) ?? newTurns();
    connections.set(socket, turns);
    if (!turns.isBusy && !turns.isRefusing) {
      begin(request, response, turns);
    } else if (turns.waiting.length < MAX_PIPELINED && !turns.isRefusing) {
      turns.waiting.push([request, response]);
    } else {
      if (!turns.isRefusing) {
        readBeyondRefusal(socket);
        refuse(response);
        exceededBudgets.inc({ budget: 'pipelined_requests' });
      }
      turns.isRefusing = true;
      yieldAfterChunk(socket, turns);
    }
  };
}

const newTurns = (): Turns => ({
  isBusy: false,
  waiting: [],
  isRefusing: false,
  isYielding: false,
});

/**
 * Makes the server end only its own direction of a connection behind the refusal, and read on until the client has
 * ended its own, or for five seconds. Bytes that are not read reset the connection, and answers are lost.
 */
function readBeyondRefusal(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    const limit = setTimeout(() => socket.destroy(), DISCARD_PACE.windowMs);
    socket.once('close', () => clearTimeout(limit));
  };
}

/**
 * Lets other work go first between two chunks of a connection whose requests are refused: otherwise all that its
 * client has sent is parsed in one turn. Node starts reading again behind each message, so reading is stopped behind
 * the last one of the chunk.
 */
function yieldAfterChunk(socket: Socket, turns: Turns): void {
  if (turns.isYielding) return;
  turns.isYielding = true;
  process.nextTick(() => {
    socket.pause();
    // One connection in each turn, however many there are.
    void runPaced(() => {
      turns.isYielding = false;
      socket.resume();
    });
  });
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
