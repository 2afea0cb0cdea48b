import { hash } from 'node:crypto';
import path from 'node:path';
import { FileMode, type TreeEntry } from '../../../../git/index.js';
import type { FileOfRevision, ReadFile } from '../../files/files.service.js';

/** A file of a revision with its content. */
export class V4FileView {
  file_name!: string;
  file_path!: string;
  /** Bytes of the file itself. */
  size!: number;
  encoding!: 'base64';
  /** SHA-256 of the content, in hexadecimal digits. */
  content_sha256!: string;
  /** As it was asked for. */
  ref!: string;
  blob_id!: string;
  commit_id!: string;
  /** The newest commit that changed the file. */
  last_commit_id!: string;
  execute_filemode!: boolean;
  content!: string;
}

/** A file that was written, and its branch. */
export class V4ChangedFileView {
  file_path!: string;
  branch!: string;
}

/** An entry of a folder. */
export class V4TreeEntryView {
  id!: string;
  name!: string;
  /** `tree`, `blob`, or `commit` for a submodule. */
  type!: 'tree' | 'blob' | 'commit';
  path!: string;
  /** Six octal digits. */
  mode!: string;
}

/** The content of a blob. */
export class V4BlobView {
  /** Bytes. */
  size!: number;
  encoding!: 'base64';
  content!: string;
  sha!: string;
}

/** Presents a file of a revision. */
export const presentV4File = (file: ReadFile): V4FileView => ({
  file_name: path.posix.basename(file.path),
  file_path: file.path,
  size: file.content.length,
  encoding: 'base64',
  content_sha256: digestOf(file.content),
  ref: file.ref,
  blob_id: file.blob,
  commit_id: file.commit,
  last_commit_id: file.lastCommit,
  execute_filemode: file.mode === FileMode.EXECUTABLE,
  content: file.content.toString('base64'),
});

export const digestOf = (content: Buffer): string => hash('sha256', content, 'hex');

export const presentV4TreeEntry = ({
  oid,
  name,
  type,
  path,
  mode,
}: TreeEntry): V4TreeEntryView => ({
  id: oid,
  name,
  type,
  path,
  mode,
});

/** Longer values are left out: clients and proxies refuse headers that large. */
const MAX_HEADER = 2_048;

/**
 * The headers `X-Gitlab-*` of a file.
 * @param size bytes
 * @param digest of the content; left out when it is not known
 */
export function fileHeaders(
  file: FileOfRevision,
  size: number,
  digest: string | undefined,
): Record<string, string> {
  const values = {
    'X-Gitlab-Blob-Id': file.blob,
    'X-Gitlab-Commit-Id': file.commit,
    'X-Gitlab-Content-Sha256': digest,
    'X-Gitlab-Encoding': 'base64',
    'X-Gitlab-Execute-Filemode': String(file.mode === FileMode.EXECUTABLE),
    'X-Gitlab-File-Name': headerText(path.posix.basename(file.path)),
    'X-Gitlab-File-Path': headerText(file.path),
    'X-Gitlab-Last-Commit-Id': file.lastCommit,
    'X-Gitlab-Ref': headerText(file.ref),
    'X-Gitlab-Size': String(size),
  };
  const shown = Object.entries(values).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1].length <= MAX_HEADER,
  );
  return Object.fromEntries(shown);
}

/** A text in UTF-8, as which clients read headers; control characters are percent-encoded. */
function headerText(text: string): string {
  const plain = text.replace(/\p{Cc}/gu, encodeURIComponent);
  return Buffer.from(plain, 'utf8').toString('latin1');
}
