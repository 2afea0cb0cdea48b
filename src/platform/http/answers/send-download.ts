import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/** A file of any size to be sent. */
export interface SentDownload {
  readonly content: Buffer | Readable;
  readonly mediaType: string;
  /** The file name that a browser saves it under. */
  readonly name?: string | undefined;
  /** In bytes; absent when it is not known. */
  readonly size?: number | undefined;
}

/**
 * Sends content that any user may have written, as a download: a browser neither runs it nor guesses its
 * type.
 */
export async function sendDownload(
  response: Response,
  { content, mediaType, name, size }: SentDownload,
): Promise<void> {
  response.attachment(name);
  response.set({
    'Content-Type': mediaType,
    'Content-Security-Policy': "sandbox; default-src 'none'",
  });
  if (size !== undefined) response.set('Content-Length', String(size));
  if (content instanceof Uint8Array) {
    response.end(content);
    return;
  }
  if (response.req.method === 'HEAD') {
    content.destroy();
    response.end();
    return;
  }
  try {
    await pipeline(content, response);
  } catch (error) {
    // The client has disconnected.
    if (!isPrematureClose(error)) throw error;
  }
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
