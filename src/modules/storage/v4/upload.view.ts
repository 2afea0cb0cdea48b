import { PAGES_PREFIX } from '../../../platform/http/index.js';
import { uploadLink } from '../uploads/upload-link.js';
import type { Upload } from '../upload-storage.js';

/** A file that was uploaded. */
export class V4UploadView {
  id!: number;
  /** Of images and videos the name without its extension. */
  alt!: string;
  /** What texts of the project link to. */
  url!: string;
  /** The path of the file below the address of the service, whatever the project is called. */
  full_path!: string;
  /** The link in Markdown; images and videos are embedded. */
  markdown!: string;
}

export function presentV4Upload(id: number, projectId: number, upload: Upload): V4UploadView {
  const { alt, url, markdown } = uploadLink(upload);
  const full_path = `${PAGES_PREFIX}/project/${String(projectId)}${url}`;
  return { id, alt, url, full_path, markdown };
}
