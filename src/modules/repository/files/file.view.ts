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

/** A file that was changed, and its branch (docs/reference/files.md#writing-a-file). */
export class ChangedFileView {
  file_path!: string;
  branch_name!: string;
}

/** An entry of a folder (docs/reference/files.md#get-projectsidrepositorytree). */
export class TreeEntryView {
  id!: string;
  name!: string;
  /** `tree`, `blob`, or `commit` for a submodule. */
  type!: 'tree' | 'blob' | 'commit';
  path!: string;
  /** Six octal digits. */
  mode!: string;
}
