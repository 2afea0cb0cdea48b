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
