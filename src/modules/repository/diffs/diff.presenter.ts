import type { DiffEntry } from '../../../git/index.js';
import type { DiffView } from './diff.view.js';

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

function modeOf(digits: string): string {
  return digits === '000000' ? '0' : digits;
}
