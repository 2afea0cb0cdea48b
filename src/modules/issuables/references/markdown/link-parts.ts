import { matchAt } from './html-tags.js';

/** In characters, as CommonMark bounds labels. */
export const LONGEST_LABEL = 999;
/** So many parentheses may be open within each other in a destination: what is read twice has an end. */
const MOST_PARENTHESES = 32;

/** Where a label `[…]` ends; -1 when none begins here. */
export function endOfLabel(text: string, at: number): number {
  if (text[at] !== '[') return -1;
  const last = Math.min(text.length, at + LONGEST_LABEL + 2);
  for (let end = at + 1; end < last; end += 1) {
    const sign = text[end];
    if (sign === '\\') end += 1;
    else if (sign === '[') return -1;
    else if (sign === ']') return end + 1;
  }
  return -1;
}

/** Labels that read the same are the same; an empty one is none. */
export const normalLabel = (label: string): string =>
  label.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase();

/** Where the destination of a link ends, and what it is; null when none begins here. */
function endOfDestination(text: string, at: number): { end: number; href: string } | null {
  if (text[at] === '<') {
    const end = endOfDelimited(text, at, { closing: '>', refused: '<\n' });
    return end < 0 ? null : { end, href: unescaped(text.slice(at + 1, end - 1)) };
  }
  let open = 0;
  let end = at;
  for (; end < text.length; end += 1) {
    const sign = text.charAt(end);
    if (sign <= ' ' || sign === '\x7f') break;
    if (sign === '\\' && text.charAt(end + 1) > ' ') end += 1;
    else if (sign === '(') open += 1;
    else if (sign === ')') {
      if (open === 0) break;
      open -= 1;
    }
    if (open > MOST_PARENTHESES) return null;
  }
  return open > 0 ? null : { end, href: unescaped(text.slice(at, end)) };
}

interface Delimiters {
  readonly closing: string;
  /** Signs that, like the closing one, stand inside only behind a backslash. */
  readonly refused: string;
}

/** Where a part ends that begins with an opening delimiter; -1 when it has no end. */
function endOfDelimited(text: string, at: number, { closing, refused }: Delimiters): number {
  for (let end = at + 1; end < text.length; end += 1) {
    const sign = text.charAt(end);
    if (sign === '\\') end += 1;
    else if (sign === closing) return end + 1;
    else if (refused.includes(sign)) return -1;
  }
  return -1;
}

const TITLES: Readonly<Record<string, Delimiters>> = {
  '"': { closing: '"', refused: '' },
  "'": { closing: "'", refused: '' },
  '(': { closing: ')', refused: '(' },
};

/** Where the title of a link ends; -1 when none begins here. */
function endOfTitle(text: string, at: number): number {
  const delimiters = TITLES[text.charAt(at)];
  return delimiters === undefined ? -1 : endOfDelimited(text, at, delimiters);
}

const BLANK = /[ \t\n]*/y;

/** `(destination "title")` behind the text of a link; null when that is not what stands there. */
export function inlineTarget(text: string, at: number): { end: number; href: string } | null {
  if (text[at] !== '(') return null;
  const target = endOfDestination(text, matchAt(BLANK, text, at + 1));
  if (target === null) return null;
  let end = matchAt(BLANK, text, target.end);
  if (end > target.end) {
    const title = endOfTitle(text, end);
    if (title >= 0) end = matchAt(BLANK, text, title);
  }
  return text[end] === ')' ? { end: end + 1, href: target.href } : null;
}

const unescaped = (text: string): string => text.replace(/\\([!-/:-@[-`{-~])/g, '$1');

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
