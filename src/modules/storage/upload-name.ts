import path from 'node:path';

/** The longest file name that file systems accept. */
const MAX_BYTES = 255;
/** A longer extension is not kept when a name is shortened. */
const MAX_EXTENSION_BYTES = 32;

const NOT_ALLOWED = /[^\p{L}\p{M}\p{Nd}.+_-]/gu;
const ONLY_DOTS = /^\.+$/;

/** Extensions of files that browsers show inline (docs/reference/projects.md#downloading-uploads). */
const IMAGES = new Set(['png', 'jpg', 'jpeg', 'gif', 'bmp', 'tiff']);
const VIDEOS = new Set(['mp4', 'm4v', 'mov', 'webm', 'ogv']);

/** The kind of a file by its extension. */
type UploadKind = 'image' | 'video' | 'other';

/**
 * Sanitizes the name of an uploaded file: replaces each character other than a letter, digit, `.`, `-`, `+` or
 * `_` by `_`, and shortens the stem to what file systems accept. Idempotent; the result never leads out of
 * its folder.
 * @param filename as sent by the client
 * @returns null for a blank one: such a part holds no file
 */
export function uploadName(filename: string): string | null {
  if (filename.trim() === '') return null;
  const name = filename.normalize('NFC').replace(NOT_ALLOWED, '_');
  return shortened(ONLY_DOTS.test(name) ? `_${name}` : name);
}

export function extensionOf(name: string): string {
  return path.extname(name).slice(1).toLowerCase();
}

export function kindOf(name: string): UploadKind {
  const extension = extensionOf(name);
  if (IMAGES.has(extension)) return 'image';
  return VIDEOS.has(extension) ? 'video' : 'other';
}

function shortened(name: string): string {
  const extension = path.extname(name);
  const kept = Buffer.byteLength(extension) <= MAX_EXTENSION_BYTES ? extension : '';
  const stem = name.slice(0, name.length - kept.length);
  return cut(stem, MAX_BYTES - Buffer.byteLength(kept)) + kept;
}

/** Truncates a text to a number of bytes, without splitting a character. */
function cut(text: string, maxBytes: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}
