/** A file that was uploaded (docs/reference/projects.md#uploads). */
export class UploadView {
  /** Of images and videos the name without its extension. */
  alt!: string;
  /** Relative to the project's web address. */
  url!: string;
  /** The link in Markdown; images and videos are embedded. */
  markdown!: string;
}
