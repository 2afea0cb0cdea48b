import type { Commit, DiffEntry } from '../../../git/index.js';
import type { Urls } from '../../../platform/config/index.js';
import { formatGitDate, shortId, titleOf } from '../../repository/index.js';
import { V4SingleMergeRequestView } from './merge-request.view.js';

/** A commit of a merge request. */
export class V4MergeRequestCommitView {
  id!: string;
  short_id!: string;
  /** The committer's date with its offset. */
  created_at!: string;
  parent_ids!: string[];
  title!: string;
  message!: string;
  author_name!: string;
  author_email!: string;
  authored_date!: string;
  committer_name!: string;
  committer_email!: string;
  committed_date!: string;
  /** Always empty. */
  trailers!: object;
  /** Always empty. */
  extended_trailers!: object;
  web_url!: string;
}

/** The changes of a merge request in one file. */
export class V4ChangedFileView {
  /** The patch; empty where only names or modes differ, and above 100 KiB. */
  diff!: string;
  /** Always false. */
  collapsed!: boolean;
  /** Whether the patch is left out because it is too long: always false. */
  too_large!: boolean;
  new_path!: string;
  old_path!: string;
  /** Six octal digits, `"0"` for a side that does not exist. */
  a_mode!: string;
  b_mode!: string;
  new_file!: boolean;
  renamed_file!: boolean;
  deleted_file!: boolean;
  /** Always false. */
  generated_file!: boolean;
}

/** A merge request with the changes of its newest version. */
export class V4ChangedMergeRequestView extends V4SingleMergeRequestView {
  /** At most 1,000 files or 50,000 lines. */
  changes!: V4ChangedFileView[];
  /** Whether some changes are left out. */
  overflow!: boolean;
}

/** @param projectPath namespace and path of the target project */
export const presentMergeRequestCommit = (
  commit: Commit,
  projectPath: string,
  urls: Urls,
): V4MergeRequestCommitView => ({
  id: commit.oid,
  short_id: shortId(commit.oid),
  created_at: formatGitDate(commit.committer),
  parent_ids: commit.parents,
  title: titleOf(commit.message),
  message: commit.message,
  author_name: commit.author.name,
  author_email: commit.author.email,
  authored_date: formatGitDate(commit.author),
  committer_name: commit.committer.name,
  committer_email: commit.committer.email,
  committed_date: formatGitDate(commit.committer),
  trailers: {},
  extended_trailers: {},
  web_url: urls.web(...projectPath.split('/'), '-', 'commit', commit.oid),
});

export const presentChangedFile = (entry: DiffEntry): V4ChangedFileView => ({
  diff: withoutFileNames(entry.text),
  collapsed: false,
  too_large: false,
  new_path: entry.newPath,
  old_path: entry.oldPath,
  a_mode: modeOf(entry.oldMode),
  b_mode: modeOf(entry.newMode),
  new_file: entry.change === 'added',
  renamed_file: entry.change === 'renamed',
  deleted_file: entry.change === 'deleted',
  generated_file: false,
});

/** The patch from its first hunk on, where version 3 begins with the names of the files. */
function withoutFileNames(text: string): string {
  const hunk = text.startsWith('--- ') ? text.indexOf('\n@@ ') : -1;
  return hunk < 0 ? text : text.slice(hunk + 1);
}

const modeOf = (digits: string): string => (digits === '000000' ? '0' : digits);
