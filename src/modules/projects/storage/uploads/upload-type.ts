import { fileTypeFromFile } from 'file-type/node';
import mime from 'mime-types';
import { extensionOf, kindOf } from '../upload-name.js';

/** How a file is sent. */
export interface UploadType {
  /** Value of `Content-Type`. */
  mediaType: string;
  /** Whether a browser may show it inline. */
  inline: boolean;
}

/** Browsers only download this type. */
const OPAQUE = 'application/octet-stream';

/** Types that a browser may run: markup, styles and scripts. */
const ACTIVE = /html|[/+]xml|svg|css|(?:java|ecma|live|type)script|shockwave/;

/**
 * Decides how a file is sent. It is shown inline only when both its name and its content say that it is an image
 * or a video: the name alone may be false, and other documents may begin like an image.
 */
export async function uploadType(file: string, name: string): Promise<UploadType> {
  const kind = kindOf(name);
  if (kind === 'other') return { mediaType: harmlessTypeOf(name), inline: false };
  const found = await fileTypeFromFile(file);
  return found?.mime.startsWith(`${kind}/`) === true && !ACTIVE.test(found.mime)
    ? { mediaType: found.mime, inline: true }
    : { mediaType: OPAQUE, inline: false };
}

function harmlessTypeOf(name: string): string {
  const type = mime.lookup(extensionOf(name)) || OPAQUE;
  return ACTIVE.test(type) ? OPAQUE : mime.contentType(type) || OPAQUE;
}
