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
    readonly kind: 'text' | 'html',
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
    if (first === undefined) return new Leaf(this.kind, this.source, []);
    const start = Math.min(first.end, this.locate(offset));
    return new Leaf(this.kind, this.source, [{ start, end: first.end }, ...others]);
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
