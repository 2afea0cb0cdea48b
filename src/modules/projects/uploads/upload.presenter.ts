import path from 'node:path';
import type { Upload } from './project-uploads.js';
import { extensionOf, kindOf } from './upload-name.js';
import type { UploadView } from './upload.view.js';

/**
 * See docs/reference/projects.md#post-projectsiduploads. Names hold no brackets, so nothing has to
 * be escaped.
 */
export function presentUpload({ secret, name }: Upload): UploadView {
  const isShown = kindOf(name) !== 'other';
  const alt = isShown ? path.parse(name).name : name;
  const url = `/uploads/${secret}/${name}`;
  const isEmbedded = isShown || extensionOf(name) === 'svg';
  return { alt, url, markdown: `${isEmbedded ? '!' : ''}[${alt}](${url})` };
}
