import { readHtml } from './html-tags.js';
import { readBlocks } from './blocks.js';
import { OPAQUE, readInlines, type ReadText } from './inlines.js';

/** The text of one paragraph, heading, cell or block of HTML, as it reads without its markup. */
interface TextBlock extends ReadText {
  readonly isHtml: boolean;
}

/**
 * Reads a Markdown text as prose: without code, HTML comments and markup. The cost is linear in the
 * length of the text, whatever stands in it. Line breaks within a block are `\n`; `locate` answers
 * offsets in the source.
 */
export function readMarkdown(source: string): TextBlock[] {
  const { leaves, definitions } = readBlocks(source);
  const labels = new Set(definitions.map(({ label }) => label).filter((label) => label !== ''));
  const blocks = leaves.map((leaf) => {
    const { content } = leaf;
    if (leaf.kind === 'html') {
      const locate = (offset: number): number => leaf.locate(offset);
      return { text: readHtml(content, OPAQUE), links: [], locate, isHtml: true };
    }
    const read = readInlines(content, labels);
    return { ...read, locate: (offset: number) => leaf.locate(read.locate(offset)), isHtml: false };
  });
  const destinations = definitions.map(({ destination }) => destination);
  return [...blocks, { text: '', links: destinations, locate: () => 0, isHtml: false }];
}
