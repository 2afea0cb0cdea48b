import type { Diff, DiffEntry } from '../../../git/index.js';
import { patchLines } from './patch-lines.js';

/** The numbers of a line; null for a side on which there is none. */
export interface ShownLine {
  readonly oldLine: number | null;
  readonly newLine: number | null;
}

/** The names of a file before and after a change. */
interface Paths {
  readonly oldPath: string;
  readonly newPath: string;
}

/** The lines that the patch of a file shows, by their numbers. */
class ShownLines {
  /** By the number on one side the one on the other side; null for a line that is there on one side only. */
  private readonly old = new Map<number, number | null>();
  private readonly new = new Map<number, number | null>();

  constructor(patch: string) {
    for (const { kind, old, new: now } of patchLines(patch)) {
      if (kind !== 'added') this.old.set(old, kind === 'removed' ? null : now);
      if (kind !== 'removed') this.new.set(now, kind === 'added' ? null : old);
    }
  }

  /** Returns the numbers of a line; null if the patch does not show it. */
  find(side: 'old' | 'new', line: number): ShownLine | null {
    const other = this[side].get(line);
    if (other === undefined) return null;
    return side === 'old' ? { oldLine: line, newLine: other } : { oldLine: other, newLine: line };
  }
}

/** The files of a difference. Reads the patch of a file once, however many positions are in it. */
export class ShownFiles {
  private readonly byNewPath: ReadonlyMap<string, DiffEntry>;
  private readonly byOldPath: ReadonlyMap<string, DiffEntry>;
  private readonly lines = new Map<DiffEntry, ShownLines>();

  constructor({ entries }: Diff) {
    // The first of several files with one name counts.
    const last = entries.toReversed();
    this.byNewPath = new Map(last.map((entry) => [entry.newPath, entry]));
    this.byOldPath = new Map(last.map((entry) => [entry.oldPath, entry]));
  }

  /** Finds the file of a position; its name after the change counts. */
  find({ oldPath, newPath }: Paths): DiffEntry | undefined {
    return this.byNewPath.get(newPath) ?? this.byOldPath.get(oldPath);
  }

  /** Returns the numbers of a line; null if the difference does not show it. */
  findLine(file: DiffEntry, side: 'old' | 'new', line: number): ShownLine | null {
    const lines = this.lines.get(file) ?? new ShownLines(file.text);
    this.lines.set(file, lines);
    return lines.find(side, line);
  }

  /** Whether the difference shows a line with these numbers. */
  showsLine(file: DiffEntry, { oldLine, newLine }: ShownLine): boolean {
    const shown =
      newLine === null
        ? this.findLine(file, 'old', oldLine ?? 0)
        : this.findLine(file, 'new', newLine);
    return shown?.oldLine === oldLine && shown.newLine === newLine;
  }
}
