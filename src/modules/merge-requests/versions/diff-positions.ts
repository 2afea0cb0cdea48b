import type { Diff, DiffEntry, Oid } from '../../../git/index.js';
import type { DiffPosition } from '../../issuables/index.js';
import { patchLines, type ShownFiles, type ShownLine } from '../../repository/index.js';

/** What has become of the lines of a file, by a patch of it. */
class LineMap {
  private readonly removed = new Set<number>();
  /** From a line on, how far lines have moved. */
  private readonly shifts: { readonly from: number; readonly by: number }[] = [];

  constructor(patch: string) {
    for (const { kind, old, new: now } of patchLines(patch)) {
      if (kind === 'removed') this.removed.add(old);
      if (kind === 'context') this.shift(old, now - old);
      else if (kind === 'added') this.shift(old, now + 1 - old);
      else this.shift(old + 1, now - old - 1);
    }
  }

  /** Returns the number that a line has now; null if it was removed. */
  follow(line: number): number | null {
    if (this.removed.has(line)) return null;
    return line + (this.shifts[this.countShifts(line) - 1]?.by ?? 0);
  }

  /** Counts the shifts up to a line: they are in the order of lines. */
  private countShifts(line: number): number {
    let [low, high] = [0, this.shifts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.shifts[middle]?.from ?? Infinity) <= line) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private shift(from: number, by: number): void {
    if (this.shifts.at(-1)?.by !== by) this.shifts.push({ from, by });
  }
}

/** Follows lines and files from one commit to another. Keeps what it has read of each file. */
class Follower {
  private readonly maps = new Map<DiffEntry, LineMap>();
  private readonly files: ReadonlyMap<string, DiffEntry>;

  constructor(private readonly difference: Diff) {
    this.files = new Map(difference.entries.map((entry) => [entry.oldPath, entry]));
  }

  /** Returns the path that a file has now; null if that is unknown or it was deleted. */
  followPath(path: string): string | null {
    const file = this.files.get(path);
    if (file === undefined) return this.difference.isCut ? null : path;
    return file.change === 'deleted' || file.change === 'retyped' ? null : file.newPath;
  }

  /** Returns the number that a line has now; null if that is unknown or it was removed. */
  followLine(path: string, line: number): number | null {
    const file = this.files.get(path);
    if (file === undefined || file.oldOid === file.newOid) return line;
    if (file.text === '') return null;
    const map = this.maps.get(file) ?? new LineMap(file.text);
    this.maps.set(file, map);
    return map.follow(line);
  }
}

/** The commits of a version. */
export interface VersionCommits {
  readonly base: Oid;
  readonly start: Oid;
  readonly head: Oid;
}

/** Follows positions of one version to another one. */
export class PositionFollower {
  private readonly heads: Follower;
  private readonly bases: Follower;

  /**
   * @param version the version that positions are followed to
   * @param shown its files
   * @param differences from head to head and from base to base
   */
  constructor(
    private readonly version: VersionCommits,
    private readonly shown: ShownFiles,
    differences: { readonly heads: Diff; readonly bases: Diff },
  ) {
    this.heads = new Follower(differences.heads);
    this.bases = new Follower(differences.bases);
  }

  /** Returns where a position is now; null where the difference of the version no longer has the line, or the file. */
  follow(position: DiffPosition): DiffPosition | null {
    const newPath = this.heads.followPath(position.newPath) ?? position.newPath;
    const oldPath = this.bases.followPath(position.oldPath) ?? position.oldPath;
    const file = this.shown.find({ oldPath, newPath });
    if (file === undefined) return null;
    const lines = position.type === 'text' ? this.followLines(position, file) : NO_LINES;
    if (lines === null) return null;
    const isSame =
      lines.oldLine === position.oldLine &&
      lines.newLine === position.newLine &&
      file.newPath === position.newPath;
    return {
      ...position,
      ...lines,
      baseSha: this.version.base,
      startSha: this.version.start,
      headSha: this.version.head,
      oldPath: file.oldPath,
      newPath: file.newPath,
      // The client has named the other lines by their numbers.
      lineRange: isSame ? position.lineRange : null,
    };
  }

  private followLines(position: DiffPosition, file: DiffEntry): ShownLine | null {
    const { oldLine, newLine, oldPath, newPath } = position;
    const line =
      newLine === null
        ? this.bases.followLine(oldPath, oldLine ?? 0)
        : this.heads.followLine(newPath, newLine);
    if (line === null) return null;
    return this.shown.findLine(file, newLine === null ? 'old' : 'new', line);
  }
}

const NO_LINES: ShownLine = { oldLine: null, newLine: null };
