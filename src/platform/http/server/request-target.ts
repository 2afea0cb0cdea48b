import type { IncomingMessage, RequestListener } from 'node:http';
import { invalidParameter } from '../../errors/index.js';
import { answerOf } from '../errors/refusal-answers.js';
import { refuseAsLast } from './last-answers.js';

const SCHEMES = ['http://', 'https://'];

/**
 * Gives requests the form that the rest of the service knows: a target is a path with its query, also where the client sent a
 * whole address, whose host must not get into answers. Requests with several `Host` headers are refused, since a proxy
 * may have heeded another one, and those of HTTP/1.1 without any.
 */
export function withPlainTarget(handle: RequestListener): RequestListener {
  return (request, response) => {
    const target = pathOf(request.url ?? '');
    if (target === undefined || !hasRightHosts(request)) {
      refuseAsLast(response, answerOf(invalidParameter('400 Bad Request')));
      return;
    }
    request.url = target;
    handle(request, response);
  };
}

/** Path and query of a target; undefined for the address of another protocol. */
function pathOf(target: string): string | undefined {
  if (target.startsWith('/') || target === '*') return target;
  const scheme = SCHEMES.find((each) => target.slice(0, each.length).toLowerCase() === each);
  if (scheme === undefined) return undefined;
  const address = target.slice(scheme.length);
  const begin = address.search(/[/?#]/);
  if (begin < 0) return '/';
  return address[begin] === '/' ? address.slice(begin) : `/${address.slice(begin)}`;
}

function hasRightHosts({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1 || (count === 0 && httpVersion !== '1.1');
}
