import type { DiffEntry } from '../../../../git/index.js';
import { CommitListItemView, presentCommitListItem } from '../commits/commit.view.js';
import type { Comparison } from '../../commits/diffs.service.js';

/** The changes of a commit, or of a comparison, in one file (docs/reference/commits.md#the-diff-entry). */
export class DiffView {
  /** The patch from `---` on; empty where only names or modes differ, and above 100 KiB. */
  diff!: string;
  new_path!: string;
  old_path!: string;
  /** Six octal digits, `"0"` for a side that does not exist. */
  a_mode!: string;
  b_mode!: string;
  new_file!: boolean;
  renamed_file!: boolean;
  deleted_file!: boolean;
}

/**
 * The commits and changes that one revision has and another lacks
 * (docs/reference/commits.md#get-projectsidrepositorycompare).
 */
export class ComparisonView {
  /** The last of the commits, null without any. */
  commit!: CommitListItemView | null;
  /** The oldest first. */
  commits!: CommitListItemView[];
  diffs!: DiffView[];
  /** Whether commits or files are left out because there are too many. */
  compare_timeout!: boolean;
  /** Whether both names mean the same commit. */
  compare_same_ref!: boolean;
}

export function presentDiff(entry: DiffEntry): DiffView {
  return {
    diff: entry.text,
    new_path: entry.newPath,
    old_path: entry.oldPath,
    a_mode: modeOf(entry.oldMode),
    b_mode: modeOf(entry.newMode),
    new_file: entry.change === 'added',
    renamed_file: entry.change === 'renamed',
    deleted_file: entry.change === 'deleted',
  };
}

export function presentComparison(comparison: Comparison): ComparisonView {
  const commits = comparison.commits.map(presentCommitListItem);
  return {
    commit: commits.at(-1) ?? null,
    commits,
    diffs: comparison.diffs.map(presentDiff),
    compare_timeout: comparison.isCut,
    compare_same_ref: comparison.isSame,
  };
}

function modeOf(digits: string): string {
  return digits === '000000' ? '0' : digits;
}
