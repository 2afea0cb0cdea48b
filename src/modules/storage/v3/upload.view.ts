import path from 'node:path';
import { extensionOf, kindOf } from '../upload-name.js';
import type { Upload } from '../upload-storage.js';

/** A file that was uploaded (docs/reference/projects.md#uploads). */
export class UploadView {
  /** Of images and videos the name without its extension. */
  alt!: string;
  /** Relative to the project's web address. */
  url!: string;
  /** The link in Markdown; images and videos are embedded. */
  markdown!: string;
}

/** Presents an upload. Its name holds no brackets, so the Markdown link needs no escaping. */
export function presentUpload({ secret, name }: Upload): UploadView {
  const isShown = kindOf(name) !== 'other';
  const alt = isShown ? path.parse(name).name : name;
  const url = `/uploads/${secret}/${name}`;
  const isEmbedded = isShown || extensionOf(name) === 'svg';
  return { alt, url, markdown: `${isEmbedded ? '!' : ''}[${alt}](${url})` };
}
