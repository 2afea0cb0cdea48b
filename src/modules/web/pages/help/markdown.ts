import { Marked, type RendererObject, type Tokens, type TokensList } from 'marked';
import { addressOfLink } from './addresses.js';
import { anchorOf } from './anchors.js';

const lexer = new Marked();

/** The parts of a text in Markdown. */
export const parse = (markdown: string): TokensList => lexer.lexer(markdown);

export interface Heading {
  readonly text: string;
  readonly anchor: string;
}

/** A document as HTML. */
export interface RenderedDocument {
  readonly title: string;
  readonly html: string;
  /** Those of its chapters. */
  readonly chapters: readonly Heading[];
}

/**
 * Renders a document of the package, whose HTML is trusted: its only HTML is comments.
 * @param name relative to the folder of package.json
 * @param base to be put before paths of this service
 */
export function renderDocument(name: string, markdown: string, base: string): RenderedDocument {
  const tokens = parse(markdown);
  const marked = new Marked({ renderer: rendererOf(name, base) });
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading');
  const [first] = headings;
  return {
    title: first === undefined ? name : plainText(first),
    html: marked.parser(tokens),
    chapters: headings
      .filter(({ depth }) => depth === 2)
      .map((heading) => ({ text: plainText(heading), anchor: anchorOf(heading.text) })),
  };
}

function rendererOf(name: string, base: string): RendererObject {
  let tables = 0;
  return {
    heading({ tokens, depth, text }) {
      const level = String(depth);
      return `<h${level} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    // What may be wider than the page scrolls by itself, also by keyboard.
    code({ text }) {
      return `<pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre>\n`;
    },
    table(token) {
      tables += 1;
      const cells = (row: Tokens.TableCell[]): string =>
        row.map((cell) => this.tablecell(cell)).join('');
      const head = this.tablerow({ text: cells(token.header) });
      const body = token.rows.map((row) => this.tablerow({ text: cells(row) })).join('');
      return (
        `<div class="scroll" role="region" aria-label="Table ${String(tables)}" tabindex="0">` +
        `<table><thead>${head}</thead><tbody>${body}</tbody></table></div>\n`
      );
    },
    link({ href, tokens }) {
      const address = escapeHtml(addressOfLink(name, href, base));
      return `<a href="${address}">${this.parser.parseInline(tokens)}</a>`;
    },
    image({ href, text }) {
      const address = escapeHtml(addressOfLink(name, href, base));
      return `<img src="${address}" alt="${escapeHtml(text)}">`;
    },
    html: () => '',
  };
}

/** A heading without marks. */
const plainText = ({ text }: Tokens.Heading): string => text.replaceAll('`', '');

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (c) => ESCAPED[c] ?? c);
