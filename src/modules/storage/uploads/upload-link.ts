import path from 'node:path';
import { extensionOf, kindOf } from '../upload-name.js';
import type { Upload } from '../upload-storage.js';

/** How texts of a project link to an upload. */
export interface UploadLink {
  /** Of images and videos the name without its extension. */
  readonly alt: string;
  /** Relative to the project's web address. */
  readonly url: string;
  /** The link in Markdown; images and videos are embedded. */
  readonly markdown: string;
}

/** Makes the link to an upload. Its name holds no brackets, so the Markdown link needs no escaping. */
export function uploadLink({ secret, name }: Upload): UploadLink {
  const isShown = kindOf(name) !== 'other';
  const alt = isShown ? path.parse(name).name : name;
  const url = `/uploads/${secret}/${name}`;
  const isEmbedded = isShown || extensionOf(name) === 'svg';
  return { alt, url, markdown: `${isEmbedded ? '!' : ''}[${alt}](${url})` };
}
