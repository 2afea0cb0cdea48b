import { type PatchLine, patchLines } from '../../shared/patch-lines.js';
import type { LineType } from './commit-comment.entity.js';

/** Whether a patch of one file adds or removes a line; parameters as for `lineNumbers`. */
export function changesLine(patch: string, line: number, type: LineType): boolean {
  return lineNumbers(patch, line, type) !== null;
}

/**
 * Returns the numbers of a line that a patch of one file adds or removes, on its own side and of the next line on the other side;
 * null for any other line.
 * @param line number from 1; for `new` in the file as it is after the change, for `old` before it
 */
export function lineNumbers(patch: string, line: number, type: LineType): PatchLine | null {
  const kind = type === 'new' ? 'added' : 'removed';
  for (const one of patchLines(patch)) {
    if (one.kind === kind && one[type] === line) return one;
  }
  return null;
}
