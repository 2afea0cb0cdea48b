import path from 'node:path';

/** What file systems take as the name of one file. */
const MAX_BYTES = 255;
/** A longer extension is none that anybody reads. */
const MAX_EXTENSION_BYTES = 32;

const NOT_ALLOWED = /[^\p{L}\p{M}\p{Nd}.+_-]/gu;
const ONLY_DOTS = /^\.+$/;

/** Extensions of files that browsers show in place (docs/reference/projects.md#downloading-uploads). */
const IMAGES = new Set(['png', 'jpg', 'jpeg', 'gif', 'bmp', 'tiff']);
const VIDEOS = new Set(['mp4', 'm4v', 'mov', 'webm', 'ogv']);

/** What a file says it is, by its extension. */
export type UploadKind = 'image' | 'video' | 'other';

/**
 * The name a file is kept under: what is no letter, digit, `.`, `-`, `+` or `_` becomes `_`, and the
 * rest is cut to what a file system takes, from before the extension. A name that went through here
 * stays as it is, and is never one that leads out of its folder.
 *
 * @param filename as the client says it
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

/** As many whole characters as fit. */
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
