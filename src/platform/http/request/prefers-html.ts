import type { Request } from 'express';
import { faceOf } from '../face/request-face.js';

// Clients such as curl accept everything, which is no preference.
/** Whether a request is one of a browser for a page: outside the API, for HTML rather than JSON. */
export function prefersHtml(request: Request): boolean {
  return faceOf(request) === undefined && request.accepts('json', 'html') === 'html';
}
