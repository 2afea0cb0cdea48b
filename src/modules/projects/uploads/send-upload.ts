import path from 'node:path';
import type { Response } from 'express';
import { routeNotFound } from '../../../platform/errors/index.js';
import type { FoundUpload } from './upload-downloads.js';

/** Whatever a browser makes of the file, it can neither run nor load anything. */
const POLICY =
  "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'";

/** What Express says of a request that it answers without the file: nobody has to be told more. */
interface SendFailure extends Error {
  status?: number;
  headers?: Record<string, string>;
  code?: string;
}

/**
 * Answers a file: the whole, a part (`Range`), or that the client has it already.
 * @param file.tag changes with the content
 */
export async function sendUpload(
  response: Response,
  file: FoundUpload & { name: string; tag: string },
): Promise<void> {
  if (file.inline) response.set('Content-Disposition', 'inline');
  else response.attachment(file.name);
  response.set({
    'Content-Type': file.mediaType,
    'Content-Security-Policy': POLICY,
    // Who may have it is asked every time.
    'Cache-Control': 'private, no-cache',
    ETag: `"${file.tag}"`,
  });
  const options = {
    root: path.dirname(file.path),
    cacheControl: false,
    dotfiles: 'allow',
  } as const;
  const failure = await new Promise<SendFailure | undefined>((resolve) => {
    response.sendFile(file.name, options, resolve);
  });
  if (failure !== undefined) answerFailure(response, failure);
}

function answerFailure(response: Response, failure: SendFailure): void {
  // The client has left, or the rest of the file cannot be read any more.
  if (response.headersSent || failure.code === 'ECONNABORTED') response.destroy();
  else if (failure.status === 404) throw routeNotFound();
  else if (failure.status === 412 || failure.status === 416) {
    for (const name of response.getHeaderNames()) {
      if (/^(?:content-(?:type|disposition|length)|etag)$/.test(name)) response.removeHeader(name);
    }
    response
      .status(failure.status)
      .set(failure.headers ?? {})
      .end();
  } else throw failure;
}
