import { readHtml } from './html-tags.js';
import { readBlocks } from './blocks.js';
import { OPAQUE, readInlines, type ReadText } from './inlines.js';

/** The text of one paragraph, heading, cell or block of HTML, as it reads without its markup. */
interface TextBlock extends ReadText {
  readonly isHtml: boolean;
}

/** The same with where it stands. */
interface PlacedBlock extends TextBlock {
  readonly isCell: boolean;
  /** Whether it stands in a quote whose lines begin with `>`. */
  readonly isQuoted: boolean;
}

/**
 * Reads a Markdown text as prose: without code, HTML comments and markup. The cost is linear in the
 * length of the text, whatever stands in it. Line breaks within a block are `\n`; `locate` answers
 * offsets in the source.
 */
export function readMarkdown(source: string): TextBlock[] {
  const { blocks, destinations } = readDocument(source);
  return [...blocks, { text: '', links: destinations, locate: () => 0, isHtml: false }];
}

/** A Markdown text as prose, with its quotes. */
interface MarkdownDocument {
  readonly blocks: readonly PlacedBlock[];
  /** Where the links of its definitions lead. */
  readonly destinations: readonly string[];
  /** See `readBlocks`. */
  readonly quoteMarks: readonly number[];
}

/** Reads the same as `readMarkdown`, at the same cost, with where the blocks stand. */
export function readDocument(source: string): MarkdownDocument {
  const { leaves, definitions, quoteMarks } = readBlocks(source);
  const labels = new Set(definitions.map(({ label }) => label).filter((label) => label !== ''));
  const blocks = leaves.map((leaf) => {
    const { content, isQuoted } = leaf;
    const place = { isQuoted, isCell: leaf.kind === 'cell', isHtml: leaf.kind === 'html' };
    if (leaf.kind === 'html') {
      const locate = (offset: number): number => leaf.locate(offset);
      return { text: readHtml(content, OPAQUE), links: [], locate, ...place };
    }
    const read = readInlines(content, labels);
    return { ...read, locate: (offset: number) => leaf.locate(read.locate(offset)), ...place };
  });
  const destinations = definitions.map(({ destination }) => destination);
  return { blocks, destinations, quoteMarks };
}
