import type { RequestHandler } from 'express';
import { AttachedValue } from '../../async/index.js';
import type { ApiFace } from './api-face.js';

const faces = new AttachedValue<ApiFace>();

/** The version of the API that a request is for; undefined outside the API. */
export function faceOf(request: object): ApiFace | undefined {
  return faces.get(request);
}

const REPEATED_SLASHES = /\/{2,}/g;

/**
 * Finds the face of requests of the API, by the prefix of their path, and rewrites their URL as the routes of the face
 * spell it. Repeated slashes count as one, and a trailing slash is dropped (docs/reference/conventions.md#identifiers-in-paths).
 */
export function findFace(all: readonly ApiFace[]): RequestHandler {
  return (request, _response, next) => {
    const cut = request.url.indexOf('?');
    const path = cut < 0 ? request.url : request.url.slice(0, cut);
    const plain = withPlainSlashes(path);
    const face = all.find((each) => each.has(plain));
    if (face !== undefined) {
      faces.set(request, face);
      const routed = face.normalize(plain, request.method);
      if (routed !== path) request.url = cut < 0 ? routed : routed + request.url.slice(cut);
    }
    next();
  };
}

/** A path without repeated slashes and without one at the end. */
export function withPlainSlashes(path: string): string {
  const single = path.replace(REPEATED_SLASHES, '/');
  return single.length > 1 && single.endsWith('/') ? single.slice(0, -1) : single;
}
