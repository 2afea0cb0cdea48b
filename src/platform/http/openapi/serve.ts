import { readFile } from 'node:fs/promises';
import type { RequestHandler } from 'express';
import { sendJson } from '../answers/send-json.js';

/**
 * Serves the checked-in interface document, so that starting up does not pay for generating it. It is
 * read on the first request and kept.
 */
export function serveOpenApi(path: string): RequestHandler {
  let document: Promise<Buffer> | undefined;
  return async (_request, response) => {
    document ??= readFile(path);
    const bytes = await document.catch((failure: unknown) => {
      document = undefined;
      throw failure;
    });
    sendJson(response, bytes);
  };
}
