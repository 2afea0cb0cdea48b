import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

export interface SentContent {
  content: Buffer | Readable;
  mediaType: string;
  /** What a browser saves it as. */
  name?: string | undefined;
  /** Bytes, where that is known. */
  size?: number | undefined;
}

/**
 * Answers content that anybody may have written: nothing but a download to a browser, which neither runs
 * it nor guesses what it is.
 */
export async function sendContent(
  response: Response,
  { content, mediaType, name, size }: SentContent,
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
    // The client has left; there is nobody to tell.
    if (!isPrematureClose(error)) throw error;
  }
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
