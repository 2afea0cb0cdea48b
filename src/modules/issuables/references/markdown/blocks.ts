import {
  bulletOf,
  cellsOf,
  closesFence,
  columnsOf,
  fenceOf,
  headingIn,
  type HtmlEnd,
  htmlEndOf,
  isThematicBreak,
} from './block-starts.js';
import { type Definition, leadingDefinitions } from './link-parts.js';
import { Leaf, type Segment, SourceLine } from './source-line.js';

/** Quotes and lists deeper than this are read as text: the cost of a line has to have an end. */
const MOST_CONTAINERS = 100;

/** From this indent on, in columns, a text is code. */
const CODE_INDENT = 4;

type Container =
  | { readonly type: 'quote' }
  /** What belongs to the item is indented by its width. */
  | { readonly type: 'item'; readonly width: number; hasContent: boolean };

type OpenHtml = { readonly type: 'html'; readonly segments: Segment[]; readonly end: HtmlEnd };

type OpenLeaf =
  | OpenHtml
  | { readonly type: 'paragraph'; readonly segments: Segment[] }
  | { readonly type: 'table'; readonly columns: number }
  | { readonly type: 'fence'; readonly fence: string }
  | { readonly type: 'code' };

/** What a Markdown document ends in, code left out, in the order of the source. */
interface Blocks {
  readonly leaves: readonly Leaf[];
  readonly definitions: readonly Definition[];
  /** Where lines of `>>>` begin, outside of code and other blocks: every other one begins a quote that the next one ends. */
  readonly quoteMarks: readonly number[];
}

const QUOTE_MARK = /^>>>[ \t]*$/;

/** Reads the blocks of a document, line by line: CommonMark, with the tables of GFM. */
export function readBlocks(source: string): Blocks {
  const reader = new BlockReader(source);
  let start = 0;
  for (const { 0: end, index } of source.matchAll(/\r\n?|\n|$/g)) {
    if (index < source.length || start < index) reader.read(new SourceLine(source, start, index));
    start = index + end.length;
  }
  return reader.finish();
}

class BlockReader {
  readonly leaves: Leaf[] = [];
  readonly definitions: Definition[] = [];
  readonly quoteMarks: number[] = [];
  private containers: Container[] = [];
  private leaf: OpenLeaf | null = null;

  constructor(private readonly source: string) {}

  finish(): Blocks {
    this.closeLeaf();
    return this;
  }

  read(line: SourceLine): void {
    const start = line.at;
    const matched = this.enterContainers(line);
    const isWithin = matched === this.containers.length;
    if (isWithin && this.continuesRaw(line)) return;
    if (this.isQuoteMark(start, line)) this.quoteMarks.push(start);
    const paragraph = this.leaf?.type === 'paragraph' ? this.leaf : null;
    if (isWithin && this.continuesStructure(line)) return;
    const depth = this.begin(line, matched);
    if (depth === null) return;
    const isLazy = paragraph !== null && paragraph === this.leaf && !line.isBlank;
    if (isLazy) {
      paragraph.segments.push(textOf(line));
      return;
    }
    this.closeBelow(depth);
    if (line.isBlank) this.closeLeaf();
    else this.open({ type: 'paragraph', segments: [textOf(line)] });
  }

  private isQuoteMark(start: number, { end }: SourceLine): boolean {
    return this.source.startsWith('>>>', start) && QUOTE_MARK.test(this.source.slice(start, end));
  }

  /** How many of the open containers the line belongs to. */
  private enterContainers(line: SourceLine): number {
    const count = this.containers.findIndex((container) => !enter(container, line));
    return count < 0 ? this.containers.length : count;
  }

  /** Takes a line of what is not read as Markdown. */
  private continuesRaw(line: SourceLine): boolean {
    const leaf = this.leaf;
    switch (leaf?.type) {
      case 'fence':
        if (line.indent < CODE_INDENT && closesFence(line.rest(), leaf.fence)) this.closeLeaf();
        return true;
      case 'code':
        return line.isBlank || line.indent >= CODE_INDENT;
      case 'html':
        if (leaf.end === null && line.isBlank) return false;
        this.addHtml(leaf, line);
        return true;
      default:
        return false;
    }
  }

  private addHtml(leaf: OpenHtml, line: SourceLine): void {
    leaf.segments.push({ start: line.at, end: line.end });
    if (leaf.end?.test(this.source.slice(line.at, line.end)) === true) this.closeLeaf();
  }

  /** Takes the line below a heading, and the second line of a table. */
  private continuesStructure(line: SourceLine): boolean {
    const leaf = this.leaf;
    if (leaf?.type !== 'paragraph' || line.isBlank || line.indent >= CODE_INDENT) return false;
    const text = line.rest();
    const columns = columnsOf(text);
    const head = leaf.segments.at(-1);
    if (columns > 0 && head !== undefined) {
      const row = this.source.slice(head.start, head.end).trimEnd();
      const cells = row.includes('|') ? cellsOf(row) : [];
      if (cells.length === columns) {
        leaf.segments.pop();
        this.closeLeaf();
        this.open({ type: 'table', columns });
        this.addCells(head.start, cells);
        return true;
      }
    }
    if (!/^(?:=+|-+)[ \t]*$/.test(text)) return false;
    this.closeLeaf();
    return true;
  }

  private addCells(start: number, cells: readonly Segment[]): void {
    for (const cell of cells) {
      this.emit('cell', [{ start: start + cell.start, end: start + cell.end }]);
    }
  }

  /**
   * Opens the blocks that begin on a line.
   * @returns the number of containers that the rest of the line is in; null when there is no rest
   */
  private begin(line: SourceLine, matched: number): number | null {
    let depth = matched;
    while (!line.isBlank) {
      const isInParagraph = this.leaf?.type === 'paragraph';
      if (line.indent >= CODE_INDENT) {
        if (isInParagraph) return depth;
        this.closeBelow(depth);
        this.open({ type: 'code' });
        return null;
      }
      if (depth < MOST_CONTAINERS && this.beginsContainer(line, depth)) {
        depth += 1;
        continue;
      }
      if (this.beginsLeaf(line, depth, isInParagraph)) return null;
      if (this.leaf?.type !== 'table' || depth < this.containers.length) return depth;
      this.addCells(line.text, cellsOf(line.rest().trimEnd()).slice(0, this.leaf.columns));
      return null;
    }
    return depth;
  }

  private beginsContainer(line: SourceLine, depth: number): boolean {
    if (line.sign === '>') {
      this.closeBelow(depth);
      line.enter(1);
      line.dedent(1);
      this.push({ type: 'quote' });
      return true;
    }
    const text = line.rest();
    const bullet = isThematicBreak(text) ? null : bulletOf(text);
    if (bullet === null) return false;
    const isInParagraph = this.leaf?.type === 'paragraph' && depth === this.containers.length;
    if (isInParagraph && !bullet.interrupts) return false;
    this.closeBelow(depth);
    const outer = line.indent;
    line.enter(bullet.length);
    const isCode = line.indent > CODE_INDENT;
    const inner = line.isBlank || isCode ? 1 : line.indent;
    line.dedent(inner);
    this.push({ type: 'item', width: outer + bullet.length + inner, hasContent: false });
    return true;
  }

  private beginsLeaf(line: SourceLine, depth: number, isInParagraph: boolean): boolean {
    const text = line.rest();
    if (isThematicBreak(text)) {
      this.closeBelow(depth);
      this.closeLeaf();
      this.holdContent();
      return true;
    }
    const heading = headingIn(text);
    if (heading !== null) {
      this.closeBelow(depth);
      this.closeLeaf();
      this.holdContent();
      this.emit('text', [{ start: line.text + heading.start, end: line.text + heading.end }]);
      return true;
    }
    const fence = fenceOf(text);
    if (fence !== null) {
      this.closeBelow(depth);
      this.open({ type: 'fence', fence });
      return true;
    }
    const end = line.sign === '<' ? htmlEndOf(text, isInParagraph) : undefined;
    if (end === undefined) return false;
    this.closeBelow(depth);
    const html: OpenHtml = { type: 'html', segments: [], end };
    this.open(html);
    this.addHtml(html, line);
    return true;
  }

  private push(container: Container): void {
    this.closeLeaf();
    this.holdContent();
    this.containers.push(container);
  }

  private open(leaf: OpenLeaf): void {
    this.closeLeaf();
    this.holdContent();
    this.leaf = leaf;
  }

  private holdContent(): void {
    const container = this.containers.at(-1);
    if (container?.type === 'item') container.hasContent = true;
  }

  /** Closes what is open within the first containers. */
  private closeBelow(depth: number): void {
    if (depth === this.containers.length) return;
    this.closeLeaf();
    this.containers.length = depth;
  }

  private closeLeaf(): void {
    const { leaf } = this;
    this.leaf = null;
    if (leaf?.type === 'html') this.emit('html', leaf.segments);
    if (leaf?.type === 'paragraph') this.emitParagraph(leaf.segments);
  }

  private get isInQuote(): boolean {
    return this.containers.some(({ type }) => type === 'quote');
  }

  private emit(kind: Leaf['kind'], segments: readonly Segment[]): void {
    this.leaves.push(new Leaf(kind, this.isInQuote, this.source, segments));
  }

  private emitParagraph(segments: readonly Segment[]): void {
    const leaf = new Leaf('text', this.isInQuote, this.source, segments);
    const { found, end } = leadingDefinitions(leaf.content);
    for (const definition of found) this.definitions.push(definition);
    this.leaves.push(end === 0 ? leaf : leaf.from(end));
  }
}

/** Whether a line belongs to an open container; if so, it goes on within it. */
function enter(container: Container, line: SourceLine): boolean {
  if (container.type === 'quote') {
    if (line.indent >= CODE_INDENT || line.sign !== '>') return false;
    line.enter(1);
    line.dedent(1);
    return true;
  }
  if (line.isBlank) return container.hasContent;
  if (line.indent < container.width) return false;
  line.dedent(container.width);
  return true;
}

const textOf = (line: SourceLine): Segment => ({ start: line.text, end: line.end });
