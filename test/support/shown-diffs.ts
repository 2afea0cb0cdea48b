import type { GitChange } from '../unit/git/support/changes-from-git.js';

/** An entry of a difference as the API answers it (docs/reference/commits.md#the-diff-entry). */
export interface ShownDiff {
  diff: string;
  new_path: string;
  old_path: string;
  a_mode: string;
  b_mode: string;
  new_file: boolean;
  renamed_file: boolean;
  deleted_file: boolean;
}

const MAX_TEXT_BYTES = 100 * 1024;
const KIND_DIGITS = 2;
const MAX_FILES = 1_000;
const MAX_LINES = 50_000;

/** What git tells, as the API has to show it: texts above 100 KiB are left out. */
export function asShown({ names, modes, letter, text }: GitChange): ShownDiff {
  const [before = '', after = ''] = modes.map((mode) => (mode === '000000' ? '0' : mode));
  expect(letter === 'T').toBe(isRetyped(before, after));
  return {
    diff: Buffer.byteLength(text) > MAX_TEXT_BYTES ? '' : text,
    old_path: names[0] ?? '',
    new_path: names.at(-1) ?? '',
    a_mode: before,
    b_mode: after,
    new_file: letter === 'A',
    renamed_file: letter === 'R',
    deleted_file: letter === 'D',
  };
}

/**
 * The files that one answer may hold (docs/reference/commits.md#limits-of-diffs), and whether there
 * are more.
 */
export function asAnswered(changes: readonly GitChange[]): { diffs: ShownDiff[]; isCut: boolean } {
  const diffs: ShownDiff[] = [];
  let lines = 0;
  for (const shown of changes.map(asShown)) {
    lines += shown.diff.split('\n').length - 1;
    if (lines > MAX_LINES || diffs.length === MAX_FILES) return { diffs, isCut: true };
    diffs.push(shown);
  }
  return { diffs, isCut: false };
}

/** Whether a file has become a link or a submodule, say. */
function isRetyped(before: string, after: string): boolean {
  const kinds = [before, after].map((mode) => mode.slice(0, KIND_DIGITS));
  return before !== '0' && after !== '0' && kinds[0] !== kinds[1];
}
