import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import { Socket } from 'node:net';

// Code that depends on internals of Node's HTTP server and sockets. When an upgrade changes them,
// one of internals.spec.ts, connection-turns.spec.ts and slow-clients.spec.ts in test/unit/http fails.

/** The body of a request as Node streams it. */
export interface BodyStream {
  readonly socket: Socket;
  /** Hands a piece to the reader, null for the end. @returns whether the reader wants more */
  passOn(piece: Buffer | null): boolean;
  /** Lets the connection be read. */
  readOn(): void;
}

/** Stands between the parser of a connection and the readers of a body. */
export interface Intake {
  /** Takes a piece, null for the end. @returns whether the connection may be read on at once */
  take(piece: Buffer | null): boolean;
  /** Whether the reader has to wait for more; the intake then calls `readOn`. */
  defersRead(): boolean;
}

interface ServerOptions {
  readonly handle: RequestListener;
  readonly intake: (stream: BodyStream) => Intake;
  /** What requests and responses inherit from, besides Node's own classes, which it must inherit from as well. */
  readonly methods: { readonly request: object; readonly response: object };
}

/** A server, and the prototypes of its requests and responses. */
interface ServerWithPrototypes {
  readonly server: Server;
  readonly request: object;
  readonly response: object;
}

/**
 * Creates a server whose requests and responses have other prototypes from the start. Bodies pass through an intake, whether
 * or not they are read.
 */
export function createInheritingServer({
  handle,
  intake,
  methods,
}: ServerOptions): ServerWithPrototypes {
  class PassedRequest extends IncomingMessage {
    private intake: Intake | undefined;

    override push(piece: Buffer | null): boolean {
      if (piece === null && this.intake === undefined) return super.push(null);
      this.intake ??= intake({
        socket: this.socket,
        passOn: (passed) => super.push(passed),
        readOn: () => super._read(0),
      });
      return this.intake.take(piece);
    }

    override _read(size: number): void {
      if (this.intake?.defersRead() !== true) super._read(size);
    }

    /** Called for bodies that nobody reads. Node's own would hide their pieces from `push`. */
    _dump(): void {
      this.resume();
    }
  }
  class PassedResponse extends ServerResponse<PassedRequest> {}
  const request = Object.setPrototypeOf(PassedRequest.prototype, methods.request) as object;
  const response = Object.setPrototypeOf(PassedResponse.prototype, methods.response) as object;
  const server = createServer(
    {
      IncomingMessage: PassedRequest,
      ServerResponse: PassedResponse,
      // Node's own refusal has no body; withPlainTarget refuses these requests.
      requireHostHeader: false,
    },
    handle,
  );
  // Node would answer 417 without a body; unknown expectations may be ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', handle);
  return { server, request, response };
}

/** What `onIncoming` of Node's parser returns for a connection that no longer speaks HTTP: it drops the chunk. */
const NO_MORE_HTTP = 2;

/** Node's parser of a connection. Its callbacks for bodies are properties whose numbers its class knows. */
interface Parser {
  onIncoming: (request: { upgrade: boolean }) => number;
  readonly constructor: { readonly kOnBody: number; readonly kOnMessageComplete: number };
  [callback: number]: unknown;
}

const parserOf = (socket: Socket): Parser => (socket as unknown as { parser: Parser }).parser;

/**
 * Stops a connection from emitting requests after the one being read, even those of the same chunk. Hundreds of
 * requests fit into a chunk, and pausing the socket would only keep back the next one. Responses to earlier requests
 * are still sent. What follows is dropped, and may be a `clientError` of the server, since a chunk can begin anywhere.
 */
export function stopRequests(socket: Socket): void {
  parserOf(socket).onIncoming = (request) => {
    // Node would hand over the socket to an upgrade or CONNECT, without a listener for its errors.
    request.upgrade = false;
    return NO_MORE_HTTP;
  };
}

/**
 * Stops a connection from emitting requests, and the rest of the body being read: ten thousand pieces of a body may
 * have been received together. Its request never ends.
 */
export function stopParsing(socket: Socket): void {
  const parser = parserOf(socket);
  const { kOnBody, kOnMessageComplete } = parser.constructor;
  const callbacks = [kOnBody, kOnMessageComplete].map((at) => [at, parser[at]] as const);
  for (const [at] of callbacks) parser[at] = null;
  // Node uses parsers for other connections later.
  socket.once('close', () => {
    for (const [at, callback] of callbacks) parser[at] = callback;
  });
  stopRequests(socket);
}

/** The server that accepted a connection. */
export const serverOf = (socket: Socket): Server =>
  (socket as unknown as { server: Server }).server;

/**
 * Replaces what Node does with a connection that is not kept alive, right behind its last answer: it destroys it, and the reset
 * that a sending client then gets can overtake the answer.
 * @param close ends the connection; gets Node's own way to do it
 */
export function replaceClose(socket: Socket, close: (closeAtOnce: () => void) => void): void {
  // Of the prototype: a connection carries many requests, and each sets its own.
  const closeAtOnce = (): void => Socket.prototype.destroySoon.call(socket);
  socket.destroySoon = () => close(closeAtOnce);
}

/** What net.Socket counts of its handle; `bytesWritten` of the socket includes what still waits. */
interface Handle {
  /** Handed to the handle. */
  readonly bytesWritten: number;
  /** Of these, not yet taken by the operating system. */
  readonly writeQueueSize: number;
}

/** The bytes that the operating system has taken of what was written to a connection. */
export function deliveredBytes(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { _handle: Handle | null };
  return handle === null ? 0 : handle.bytesWritten - handle.writeQueueSize;
}
