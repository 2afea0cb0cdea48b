import MarkdownIt, { type MarkdownIt as Parser, type Token } from 'markdown-it';
import { CHECKBOX_TOKEN, markBlocks, markTasks, placeEmoji } from './finish-tokens.js';
import { PlacedReferences, REFERENCE_TOKEN } from './reference-tokens.js';
import type { RenderContext, RenderedText } from './rendered-text.js';
import { sanitize } from './sanitize.js';

/** Characters (UTF-16 units) of the HTML of a text. */
const LONGEST_HTML = 5 * 1024 * 1024;

interface Environment {
  readonly isFlavored: boolean;
  readonly placed: PlacedReferences;
}

/**
 * Renders Markdown with tables, struck-out text, addresses as links and HTML, and, flavoured, with references, emoji and task
 * lists. What that takes depends on what is in the text: hostile ones take minutes and gigabytes.
 * @throws Error where the HTML would be too long
 */
export function renderMarkdown(text: string, context: RenderContext): RenderedText {
  const placed = new PlacedReferences(context.externalUrl);
  const environment = { isFlavored: context.isFlavored, placed };
  const tokens = PARSER.parse(text, environment);
  assertShort(lengthOfAttributes(tokens));
  const html = PARSER.renderer.render(tokens, PARSER.options, environment);
  assertShort(html.length);
  const safe = sanitize(html, context, (marked) => placed.restore(marked));
  assertShort(safe.length);
  return placed.divide(safe);
}

const PARSER = makeParser();

function makeParser(): Parser {
  const parser = new MarkdownIt({ html: true, linkify: true });
  // `example.org` is more likely the name of a file.
  parser.linkify.set({ fuzzyLink: false });
  // Before markup is joined to text.
  parser.core.ruler.after('inline', 'references', ({ tokens, env }) => {
    const { isFlavored, placed } = env as unknown as Environment;
    if (!isFlavored) return;
    for (const token of tokens) {
      if (token.children !== null) token.children = placed.placeInline(token.children);
      else if (token.type === 'html_block') token.content = placed.placeHtml(token.content);
    }
  });
  parser.core.ruler.push('finish', ({ tokens, env }) => {
    const { isFlavored, placed } = env as unknown as Environment;
    if (isFlavored) {
      for (const { children } of tokens) placeEmoji(children ?? []);
      markTasks(tokens);
    }
    markBlocks(tokens, (text) => placed.restore(text));
  });
  parser.renderer.rules[REFERENCE_TOKEN] = (tokens, index) => tokens[index]?.content ?? '';
  parser.renderer.rules[CHECKBOX_TOKEN] = (tokens, index) => {
    const checked = tokens[index]?.meta?.['isChecked'] === true ? ' checked' : '';
    return `<input type="checkbox" class="task-list-item-checkbox" disabled${checked}>`;
  };
  return parser;
}

/** A definition of a link may be used ten thousand times. */
function lengthOfAttributes(tokens: readonly Token[]): number {
  let length = 0;
  for (const { attrs, children } of tokens) {
    for (const [, value] of attrs ?? []) length += String(value).length;
    if (children !== null) length += lengthOfAttributes(children);
  }
  return length;
}

function assertShort(length: number): void {
  if (length > LONGEST_HTML) throw new Error('The HTML of the text is too long');
}
