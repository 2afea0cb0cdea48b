import { fileTypeFromFile } from 'file-type/node';
import mime from 'mime-types';
import { extensionOf, kindOf } from './upload-name.js';

/** How a file is answered. */
export interface UploadType {
  /** Value of `Content-Type`. */
  mediaType: string;
  /** Whether a browser may show it in place. */
  inline: boolean;
}

/** Says nothing, so that nothing comes of it. */
const OPAQUE = 'application/octet-stream';

/** What a browser may run: markup, styles and scripts. */
const ACTIVE = /html|[/+]xml|svg|css|(?:java|ecma|live|type)script|shockwave/;

/**
 * A file is shown in place only when its name and its content agree that it is an image or a video.
 * By its name alone, a page that calls itself an image would be; by its content alone, a document that
 * happens to begin like one.
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
