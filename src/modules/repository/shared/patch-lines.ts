const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** A line that the patch of a file shows, with the numbers of the next lines on both sides. */
export interface PatchLine {
  readonly kind: 'added' | 'removed' | 'context';
  readonly old: number;
  readonly new: number;
}

interface Hunk {
  old: number;
  new: number;
  oldLeft: number;
  newLeft: number;
}

/** Iterates over the lines of the hunks of a patch of one file. */
export function* patchLines(patch: string): Generator<PatchLine> {
  const at: Hunk = { old: 0, new: 0, oldLeft: 0, newLeft: 0 };
  for (let start = 0; start < patch.length;) {
    const end = endOfLine(patch, start);
    const sign = patch.charAt(start);
    if (at.oldLeft === 0 && at.newLeft === 0) enterHunk(at, patch.slice(start, end));
    else if (sign !== '\\') yield advance(at, sign);
    start = end + 1;
  }
}

const endOfLine = (patch: string, start: number): number => {
  const end = patch.indexOf('\n', start);
  return end === -1 ? patch.length : end;
};

function enterHunk(at: Hunk, line: string): void {
  const match = HUNK.exec(line);
  if (match === null) return;
  const [, oldStart, oldCount = '1', newStart, newCount = '1'] = match;
  at.old = Number(oldStart);
  at.oldLeft = Number(oldCount);
  at.new = Number(newStart);
  at.newLeft = Number(newCount);
}

function advance(at: Hunk, sign: string): PatchLine {
  const kind = sign === '+' ? 'added' : sign === '-' ? 'removed' : 'context';
  const line: PatchLine = { kind, old: at.old, new: at.new };
  if (kind !== 'added') {
    at.old += 1;
    at.oldLeft -= 1;
  }
  if (kind !== 'removed') {
    at.new += 1;
    at.newLeft -= 1;
  }
  return line;
}
