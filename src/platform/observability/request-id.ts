import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

const HARMLESS = /^[\w.-]{1,64}$/;

/**
 * The id under which a request is logged. A caller's own id is taken over if it is short and harmless,
 * so that it can be followed through several services. It is answered in `X-Request-Id`, on errors
 * too, whose bodies are fixed and have no place for it.
 */
export function requestId(request: IncomingMessage, response: ServerResponse): string {
  const sent = request.headers['x-request-id'];
  const id = typeof sent === 'string' && HARMLESS.test(sent) ? sent : randomUUID();
  response.setHeader('X-Request-Id', id);
  return id;
}
