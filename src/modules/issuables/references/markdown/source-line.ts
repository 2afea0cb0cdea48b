const TAB_STOP = 4;

/** A line of the source on the way through its containers: knows indents in columns, tabs expanded. */
export class SourceLine {
  /** Where the line goes on, and in which column; a tab may be used up in part. */
  at: number;
  column = 0;
  private textAt: number;
  private textColumn = 0;

  constructor(
    readonly source: string,
    start: number,
    readonly end: number,
  ) {
    this.at = start;
    this.textAt = start;
    this.skipBlanks();
  }

  /** Where the next character stands that is not blank; the end of the line when there is none. */
  get text(): number {
    return this.textAt;
  }

  /** How many columns of blanks stand before it. */
  get indent(): number {
    return this.textColumn - this.column;
  }

  get isBlank(): boolean {
    return this.textAt >= this.end;
  }

  /** The character there; empty at the end. */
  get sign(): string {
    return this.isBlank ? '' : this.source.charAt(this.textAt);
  }

  /** The rest of the line from there on. */
  rest(): string {
    return this.source.slice(this.textAt, this.end);
  }

  /** Goes on behind some characters of the text. */
  enter(characters: number): void {
    this.at = this.textAt + characters;
    this.column = this.textColumn + characters;
    this.textAt = this.at;
    this.textColumn = this.column;
    this.skipBlanks();
  }

  /** Uses up some columns of the blanks; no more than there are. */
  dedent(columns: number): void {
    const wanted = Math.min(this.textColumn, this.column + columns);
    while (this.column < wanted) {
      const width = this.widthAt(this.at, this.column);
      if (this.column + width > wanted) {
        this.column = wanted;
        return;
      }
      this.column += width;
      this.at += 1;
    }
  }

  private skipBlanks(): void {
    for (; this.textAt < this.end; this.textAt += 1) {
      const width = this.widthAt(this.textAt, this.textColumn);
      if (width === 0) return;
      this.textColumn += width;
    }
  }

  private widthAt(at: number, column: number): number {
    const sign = this.source[at];
    if (sign === '\t') return TAB_STOP - (column % TAB_STOP);
    return sign === ' ' ? 1 : 0;
  }
}

/** A part of a line of the source, without what marks the containers it stands in. */
export interface Segment {
  readonly start: number;
  readonly end: number;
}

/** What the blocks of a document end in: a paragraph, heading, cell, or piece of HTML. */
export class Leaf {
  /** The segments, joined by `\n`. */
  readonly content: string;
  /** Where each segment begins in `content`. */
  private readonly offsets: number[] = [];

  constructor(
    readonly kind: 'text' | 'cell' | 'html',
    /** Whether it stands in a quote. */
    readonly isQuoted: boolean,
    private readonly source: string,
    private readonly segments: readonly Segment[],
  ) {
    const lines: string[] = [];
    let offset = 0;
    for (const { start, end } of segments) {
      lines.push(source.slice(start, end));
      this.offsets.push(offset);
      offset += end - start + 1;
    }
    this.content = lines.join('\n');
  }

  /** Where a character of the content stands in the source. */
  locate(offset: number): number {
    const index = lastAtMost(this.offsets, offset);
    return (this.segments[index]?.start ?? 0) + offset - (this.offsets[index] ?? 0);
  }

  /** The same leaf without the first characters of its content. */
  from(offset: number): Leaf {
    const index = lastAtMost(this.offsets, offset);
    const [first, ...others] = this.segments.slice(index);
    const { kind, isQuoted, source } = this;
    if (first === undefined) return new Leaf(kind, isQuoted, source, []);
    const start = Math.min(first.end, this.locate(offset));
    return new Leaf(kind, isQuoted, source, [{ start, end: first.end }, ...others]);
  }
}

/** The index of the last of ascending numbers that is not above a limit; 0 when all are. */
export function lastAtMost(ascending: readonly number[], limit: number): number {
  let low = 0;
  for (let high = ascending.length - 1; low < high;) {
    const middle = Math.ceil((low + high) / 2);
    if ((ascending[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}
