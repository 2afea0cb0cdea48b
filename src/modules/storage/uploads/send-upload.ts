import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Response } from 'express';
import { fileTypeFromBuffer } from 'file-type/core';
import mime from 'mime-types';
import { extensionOf, kindOf } from '../upload-name.js';
import { uploadMissing } from '../refusals.js';

/** How a file is sent. */
interface UploadType {
  /** Value of `Content-Type`. */
  mediaType: string;
  /** Whether a browser may show it inline. */
  inline: boolean;
}

/** An uploaded file to be sent. */
export interface FoundUpload extends UploadType {
  path: string;
}

/** The error with which Express responds without the file. */
interface SendFailure extends Error {
  status?: number;
  headers?: Record<string, string>;
  code?: string;
}

/**
 * Images and videos begin with their kind. Looking further would cost up to a second for a file that is made for it, at each
 * download; bytes.
 */
const READ_FOR_TYPE = 4_100;

/** Browsers only download this type. */
const OPAQUE = 'application/octet-stream';

/** Types that a browser may run: markup, styles and scripts. */
const ACTIVE = /html|[/+]xml|svg|css|(?:java|ecma|live|type)script|shockwave/;

/** Keeps browsers from running scripts in a file and from loading other files for it. */
const POLICY =
  "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'";

/**
 * Decides how a file is sent. It is shown inline only when both its name and its content say that it is an image
 * or a video: the name alone may be false, and other documents may begin like an image.
 */
export async function uploadType(file: string, name: string): Promise<UploadType> {
  const kind = kindOf(name);
  if (kind === 'other') return { mediaType: harmlessTypeOf(name), inline: false };
  const found = await fileTypeFromBuffer(await beginningOf(file));
  return found?.mime.startsWith(`${kind}/`) === true && !ACTIVE.test(found.mime)
    ? { mediaType: found.mime, inline: true }
    : { mediaType: OPAQUE, inline: false };
}

async function beginningOf(file: string): Promise<Buffer> {
  const opened = await open(file);
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(READ_FOR_TYPE));
    return buffer.subarray(0, bytesRead);
  } finally {
    await opened.close();
  }
}

function harmlessTypeOf(name: string): string {
  const type = mime.lookup(extensionOf(name)) || OPAQUE;
  return ACTIVE.test(type) ? OPAQUE : mime.contentType(type) || OPAQUE;
}

/**
 * Sends a file: all of it, a part (`Range`), or 304 when the client has it.
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
    // Access is checked every time.
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
  // The client has disconnected, or the rest of the file cannot be read.
  if (response.headersSent || failure.code === 'ECONNABORTED') response.destroy();
  else if (failure.status === 404) throw uploadMissing();
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
