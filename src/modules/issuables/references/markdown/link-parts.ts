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
export function endOfDestination(text: string, at: number): { end: number; href: string } | null {
  if (text[at] === '<') {
    const end = matchAt(/<(?:[^<>\n\\]|\\[^])*>/y, text, at);
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

const TITLES: Readonly<Record<string, RegExp>> = {
  '"': /"(?:[^"\\]|\\[^])*"/y,
  "'": /'(?:[^'\\]|\\[^])*'/y,
  '(': /\((?:[^()\\]|\\[^])*\)/y,
};

/** Where the title of a link ends; -1 when none begins here. */
export function endOfTitle(text: string, at: number): number {
  const title = TITLES[text.charAt(at)];
  return title === undefined ? -1 : matchAt(title, text, at);
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
