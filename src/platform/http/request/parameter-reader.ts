import type { Socket } from 'node:net';
import type { Request, RequestHandler } from 'express';
import { DISCARD_PACE, MAX_DISCARDED_BYTES } from '../../limits/index.js';
import { replaceParameters } from '../internals/express.js';
import { replaceClose } from '../internals/node.js';
import { hasParameters } from '../page-paths.js';
import type { ParsedBody } from './body/body.js';
import { hasBody, PaceWatch } from './body/body-bytes.js';
import { bare, parseQueryString } from './form-fields.js';
import { type Parsed, readOf, rememberRead } from './request-parameters.js';
import { removeHarmful } from './sanitize.js';

/**
 * Reads the parameters in the URL of requests of the API and of pages, and puts them in the place of both `request.query` and
 * `request.body`. Problems are kept and raised by the `ParametersGuard`, since an
 * unknown route or caller is answered first. Other requests keep their stream untouched.
 */
export const queryReader: RequestHandler = (request, _response, next) => {
  if (hasParameters(request)) remember(request, parseQueryString(request.url));
  next();
};

/** Adds the parameters of the body, which win over those of the URL. */
export function mergeBody(request: Request, body: ParsedBody): void {
  const query = readOf(request);
  const files = Object.fromEntries(body.files);
  const parameters = Object.assign(bare(), query?.parameters, body.parameters, files);
  remember(request, { parameters, problem: query?.problem ?? body.problem });
}

function remember(request: Request, { parameters, problem }: Parsed): void {
  const harm = removeHarmful(parameters);
  rememberRead(request, { parameters, problem: problem ?? harm });
  replaceParameters(request, 'query', parameters);
  replaceParameters(request, 'body', parameters);
}

/**
 * Reads and drops the rest of a body after its response. So clients that send their whole body before they read see
 * the response, and the connection can be used again.
 */
export const restDiscarder: RequestHandler = (request, response, next) => {
  if (hasBody(request)) {
    // The stream of a body may lose its connection: `pipeline` takes it from a request that it destroys.
    const { socket } = request;
    lingerOnClose(request, socket);
    response.once('finish', () => discardRest(request, socket));
  }
  next();
};

/** Makes the server end only its own direction of a connection while the body is still being sent. */
function lingerOnClose(request: Request, socket: Socket): void {
  replaceClose(socket, (closeAtOnce) => {
    if (request.complete || socket.destroyed) {
      closeAtOnce();
      return;
    }
    socket.end();
    request.once('end', closeAtOnce);
  });
}

function discardRest(request: Request, socket: Socket): void {
  if (request.complete || socket.destroyed) return;
  const most = socket.bytesRead + MAX_DISCARDED_BYTES;
  const watch = new PaceWatch(request, DISCARD_PACE, () => socket.destroy());
  const excess = setInterval(() => {
    if (socket.bytesRead > most) socket.destroy();
  }, DISCARD_PACE.windowMs).unref();
  const stop = (): void => {
    watch.stop();
    clearInterval(excess);
  };
  watch.start();
  request.once('end', stop).once('close', stop).resume();
}
