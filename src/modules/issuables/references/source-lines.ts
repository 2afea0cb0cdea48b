/**
 * Finds the lines of Markdown blocks in the source again: a block's content comes without the quote
 * marks, indents and bars around it. Blocks are asked for in the order of the source.
 */
export class SourceLines {
  private readonly lines: { text: string; start: number }[] = [];
  private line = 0;
  /** How much of the line has been found; cells of a table stand on one. */
  private column = 0;

  constructor(source: string) {
    let start = 0;
    for (const { 0: end, index } of source.matchAll(/\r\n?|\n|$/g)) {
      this.lines.push({ text: source.slice(start, index), start });
      start = index + end.length;
    }
  }

  /** A block begins on this line. */
  enter(line: number): void {
    if (line === this.line) return;
    this.line = line;
    this.column = 0;
  }

  /** Finds a block's content, line by line; answers what tells where its characters stand. */
  locator(content: string): (at: number) => number | null {
    const found: { at: number; start: number | null }[] = [];
    let at = 0;
    content.split('\n').forEach((line, index) => {
      if (index > 0) this.enter(this.line + 1);
      const text = line.trimStart();
      found.push({ at: at + line.length - text.length, start: this.find(text) });
      at += line.length + 1;
    });
    return (offset) => {
      const line = found.findLast((one) => one.at <= offset);
      return line === undefined || line.start === null ? null : line.start + offset - line.at;
    };
  }

  private find(text: string): number | null {
    const line = this.lines[this.line];
    const column = line?.text.indexOf(text, this.column) ?? -1;
    if (line === undefined || column < 0) return null;
    this.column = column + text.length;
    return line.start + column;
  }
}
