import type { DiffEntry } from '../../../../git/index.js';
import { V4CommitView } from '../commits/commit.view.js';

/** The changes of a commit, or of a comparison, in one file. */
export class V4DiffView {
  /** The patch from the first hunk on; empty where only names or modes differ, and above 100 KiB. */
  diff!: string;
  /** Always false: small diffs are shown whole. */
  collapsed!: boolean;
  /** Whether the patch is left out because it is too large. */
  too_large!: boolean;
  new_path!: string;
  old_path!: string;
  /** Six octal digits, `"0"` for a side that does not exist. */
  a_mode!: string;
  b_mode!: string;
  new_file!: boolean;
  renamed_file!: boolean;
  deleted_file!: boolean;
  /** Always false: files are not marked as generated. */
  generated_file!: boolean;
}

/** The commits and changes that one revision has and another lacks. */
export class V4ComparisonView {
  /** The last of the commits, null without any. */
  commit!: V4CommitView | null;
  /** The oldest first. */
  commits!: V4CommitView[];
  diffs!: V4DiffView[];
  /** Whether commits or files are left out because there are too many. */
  compare_timeout!: boolean;
  /** Whether both names mean the same commit. */
  compare_same_ref!: boolean;
  /** The page of the comparison. */
  web_url!: string;
}

export function presentV4Diff(entry: DiffEntry): V4DiffView {
  return {
    diff: entry.text.replace(HEADER, ''),
    collapsed: false,
    too_large: entry.text === '' && entry.change === 'modified' && entry.oldOid !== entry.newOid,
    new_path: entry.newPath,
    old_path: entry.oldPath,
    a_mode: modeOf(entry.oldMode),
    b_mode: modeOf(entry.newMode),
    new_file: entry.change === 'added',
    renamed_file: entry.change === 'renamed',
    deleted_file: entry.change === 'deleted',
    generated_file: false,
  };
}

/** The lines before the first hunk. */
const HEADER = /^--- .*\n\+\+\+ .*\n/;

function modeOf(digits: string): string {
  return digits === '000000' ? '0' : digits;
}
