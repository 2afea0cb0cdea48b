import { uploadLink } from '../uploads/upload-link.js';
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

export function presentUpload(upload: Upload): UploadView {
  const { alt, url, markdown } = uploadLink(upload);
  return { alt, url, markdown };
}
