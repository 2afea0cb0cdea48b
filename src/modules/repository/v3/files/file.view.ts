import path from 'node:path';
import type { ReadFile } from '../../files/files.service.js';

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

/** Presents a file of a revision. */
export const presentFile = (file: ReadFile): FileView => ({
  file_name: path.posix.basename(file.path),
  file_path: file.path,
  size: file.content.length,
  encoding: 'base64',
  content: file.content.toString('base64'),
  ref: file.ref,
  blob_id: file.blob,
  commit_id: file.commit,
  last_commit_id: file.lastCommit,
});

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
