import { endOfDestination, endOfLabel, endOfTitle, normalLabel } from './link-parts.js';
import { matchAt } from './html-tags.js';

/** A link reference definition: `[label]: destination "title"`. */
export interface Definition {
  readonly label: string;
  readonly destination: string;
}

/** The definitions that a paragraph begins with, and where what they leave of it begins. */
export function leadingDefinitions(content: string): { found: Definition[]; end: number } {
  const found: Definition[] = [];
  let end = 0;
  while (content[end] === '[') {
    const definition = definitionAt(content, end);
    if (definition === null) break;
    found.push(definition);
    ({ end } = definition);
  }
  return { found, end };
}

const COLON_AND_BLANKS = /:[ \t]*\n?[ \t]*/y;
const BLANKS_AND_TITLE = /(?:[ \t]+|[ \t]*\n[ \t]*)(?=["'(])/y;
const LINE_END = /[ \t]*(?:\n|$)/y;

function definitionAt(content: string, at: number): (Definition & { end: number }) | null {
  const labelEnd = endOfLabel(content, at);
  if (labelEnd < 0) return null;
  const label = normalLabel(content.slice(at + 1, labelEnd - 1));
  const start = matchAt(COLON_AND_BLANKS, content, labelEnd);
  const destination = label === '' || start < 0 ? null : endOfDestination(content, start);
  if (destination === null || destination.end === start) return null;
  const { href } = destination;
  const title = matchAt(BLANKS_AND_TITLE, content, destination.end);
  const titleEnd = title < 0 ? -1 : endOfTitle(content, title);
  const whole = titleEnd < 0 ? -1 : matchAt(LINE_END, content, titleEnd);
  const end = whole < 0 ? matchAt(LINE_END, content, destination.end) : whole;
  return end < 0 ? null : { label, destination: href, end };
}
