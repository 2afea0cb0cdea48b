/** A file of a revision with its content (docs/reference/files.md#get-projectsidrepositoryfiles). */
export class FileView {
  file_name!: string;
  file_path!: string;
  /** Bytes of the file itself. */
  size!: number;
  encoding!: 'base64';
  content!: string;
  /** As it was asked for. */
  ref!: string;
  blob_id!: string;
  commit_id!: string;
  /** The newest commit that changed the file. */
  last_commit_id!: string;
}
