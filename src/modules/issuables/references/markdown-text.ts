import MarkdownIt, { type Token } from 'markdown-it';
import { depthOf, readHtml } from './html-text.js';
import { SourceLines } from './source-lines.js';

/** Stands in texts for markup, code and pictures, and for an escaped sign. */
export const OPAQUE = '\0';

/** What begins references: escaped, it does not. */
const SIGNS = '#!@~%';

/** So much of a text is read, in UTF-16 units: what costs time has to have an end. */
const MOST_TEXT = 100_000;

/** The text of one paragraph, heading, cell or block of HTML, as it reads without its markup. */
export interface TextBlock {
  readonly text: string;
  /** Destinations of the links in it. */
  readonly links: readonly string[];
  /** Where a character of the text stands in the source; null where that cannot be told. */
  locate(offset: number): number | null;
}

/**
 * What readers see of a Markdown text as prose: neither code, nor HTML comments, nor the markup. Line
 * breaks within a block are `\n`.
 * @param whole what is longer than `MOST_TEXT` is read no further
 */
export function readMarkdown(whole: string): TextBlock[] {
  const source = whole.slice(0, MOST_TEXT);
  const lines = new SourceLines(source);
  return parser.parse(source, {}).flatMap((token) => {
    if (token.map !== null) lines.enter(token.map[0]);
    if (token.type === 'inline') return readInline(token, lines);
    return token.type === 'html_block' ? readHtmlBlock(token, lines) : [];
  });
}

const parser = new MarkdownIt({ html: true }).disable(['strikethrough', 'fragments_join']);
parser.core.ruler.disable('text_join');

/** Kept as the `meta` of tokens, which nobody else reads here. */
type Place = Readonly<{
  /** Where the token begins in the source of its block. */
  at: number;
  /** Where the parser stood when it was pushed; null for text that it had put aside. */
  pushedAt: number | null;
}>;

const placeOf = ({ meta }: Token): Place | null => meta as Place | null;

/** Notes of every token where it begins, which the parser itself forgets. */
class PlacingState extends parser.inline.State {
  override push(type: string, tag: string, nesting: -1 | 0 | 1): Token {
    const token = super.push(type, tag, nesting);
    const previous = this.tokens.at(-2);
    const before = previous && placeOf(previous);
    // Signs of emphasis are pushed one after the other before the parser moves on.
    const at = type === 'text' && before?.pushedAt === this.pos ? before.at + 1 : this.pos;
    token.meta = { at, pushedAt: this.pos } satisfies Place;
    return token;
  }

  override pushPending(): Token {
    // The parser may have moved on to what follows, and blanks at the end of a line are dropped.
    const at = this.src.lastIndexOf(this.pending, this.pos - this.pending.length);
    const token = super.pushPending();
    token.meta = { at, pushedAt: null } satisfies Place;
    return token;
  }
}

parser.inline.State = PlacingState;

function readInline({ content, children }: Token, lines: SourceLines): TextBlock {
  const written = new WrittenText();
  const links: string[] = [];
  let hidden = 0;
  for (const token of children ?? []) {
    if (token.type === 'html_inline') hidden = Math.max(0, hidden + depthOf(token.content));
    if (token.type === 'link_open') links.push(String(token.attrGet('href')));
    const text = hidden > 0 ? OPAQUE : textOf(token);
    written.add(text, placeOf(token)?.at ?? null);
  }
  return written.block(links, lines.locator(content));
}

function textOf({ type, content, info, nesting }: Token): string {
  // Words do not go on across markup; an address in angle brackets has nothing around it.
  if (nesting !== 0) return info === 'auto' ? '' : OPAQUE;
  switch (type) {
    case 'text':
      return content;
    case 'text_special':
      return SIGNS.includes(content) ? OPAQUE : content;
    case 'softbreak':
    case 'hardbreak':
      return '\n';
    case 'code_inline':
    case 'html_inline':
    case 'image':
      return OPAQUE;
    default:
      return '';
  }
}

function readHtmlBlock({ content }: Token, lines: SourceLines): TextBlock {
  const text = readHtml(content, OPAQUE);
  const locate = lines.locator(content);
  return { text, links: [], locate };
}

/** A text put together from pieces, which knows where in the block's source each begins. */
class WrittenText {
  private text = '';
  private readonly pieces: { offset: number; at: number | null }[] = [];

  /** @param at where it begins in the block's source; null where that does not matter */
  add(piece: string, at: number | null): void {
    if (piece === '') return;
    this.pieces.push({ offset: this.text.length, at });
    this.text += piece;
  }

  block(links: readonly string[], toSource: (at: number) => number | null): TextBlock {
    const { text, pieces } = this;
    const locate = (offset: number): number | null => {
      const piece = pieces.findLast((one) => one.offset <= offset);
      if (piece === undefined || piece.at === null) return null;
      return toSource(piece.at + offset - piece.offset);
    };
    return { text, links, locate };
  }
}
