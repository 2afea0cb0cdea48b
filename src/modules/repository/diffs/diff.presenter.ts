import type { DiffEntry } from '../../../git/index.js';
import { presentCommitListItem } from '../commits/commit.presenter.js';
import type { ComparisonView, DiffView } from './diff.view.js';
import type { Comparison } from './diffs.service.js';

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
