import type { LineType } from './commit-comment.entity.js';

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** A side of a hunk: the number of its next line, and how many lines follow. */
interface Side {
  line: number;
  left: number;
}

/** The number of a line on its own side of a diff, and of the next line on the other side. */
type LineNumbers = Readonly<Record<LineType, number>>;

/** Whether a patch of one file adds or removes a line; parameters as for `lineNumbers`. */
export function changesLine(patch: string, line: number, type: LineType): boolean {
  return lineNumbers(patch, line, type) !== null;
}

/**
 * Returns the numbers of a line that a patch of one file adds or removes; null for any other line.
 * @param line number from 1; for `new` in the file as it is after the change, for `old` before it
 */
export function lineNumbers(patch: string, line: number, type: LineType): LineNumbers | null {
  const sides: Record<LineType, Side> = { new: { line: 0, left: 0 }, old: { line: 0, left: 0 } };
  for (const text of patch.split('\n')) {
    if (sides.new.left === 0 && sides.old.left === 0) enterHunk(sides, text);
    else {
      const touched = touchedBy(text);
      if (touched.length === 1 && touched[0] === type && sides[type].line === line) {
        return { old: sides.old.line, new: sides.new.line };
      }
      for (const side of touched) {
        sides[side].line += 1;
        sides[side].left -= 1;
      }
    }
  }
  return null;
}

function enterHunk(sides: Record<LineType, Side>, text: string): void {
  const match = HUNK.exec(text);
  if (match === null) return;
  const [, oldStart, oldCount = '1', newStart, newCount = '1'] = match;
  sides.old = { line: Number(oldStart), left: Number(oldCount) };
  sides.new = { line: Number(newStart), left: Number(newCount) };
}

/** The sides that a line of a hunk belongs to; none for the remark on a missing line end. */
function touchedBy(text: string): LineType[] {
  if (text.startsWith('+')) return ['new'];
  if (text.startsWith('-')) return ['old'];
  return text.startsWith('\\') ? [] : ['old', 'new'];
}
