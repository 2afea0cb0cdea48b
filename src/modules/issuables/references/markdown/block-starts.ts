import { endOfTag } from './html-tags.js';

/** `***`, `- - -` and the like, which are lines and no lists. */
export function isThematicBreak(text: string): boolean {
  const [sign] = text;
  if (sign !== '*' && sign !== '-' && sign !== '_') return false;
  let signs = 0;
  for (const character of text) {
    if (character === sign) signs += 1;
    else if (character !== ' ' && character !== '\t') return false;
  }
  return signs >= 3;
}

/** A fence of code: its sign, as often as it stands there. */
export function fenceOf(text: string): string | null {
  const [fence] = /^(?:`{3,}|~{3,})/.exec(text) ?? [];
  if (fence === undefined) return null;
  return fence.startsWith('`') && text.includes('`', fence.length) ? null : fence;
}

/** Whether a line ends what a fence has begun. */
export function closesFence(text: string, fence: string): boolean {
  const sign = fence.charAt(0);
  let count = 0;
  while (text[count] === sign) count += 1;
  return count >= fence.length && text.slice(count).trim() === '';
}

/** The content of a heading `## …` within the text of its line. */
export function headingIn(text: string): { start: number; end: number } | null {
  const [marks] = /^#{1,6}(?![^ \t])/.exec(text) ?? [];
  if (marks === undefined) return null;
  let end = text.trimEnd().length;
  let closing = end;
  while (closing > marks.length && text[closing - 1] === '#') closing -= 1;
  if (text[closing - 1] === ' ' || text[closing - 1] === '\t') end = closing;
  return { start: Math.min(marks.length, end), end };
}

/** A marker of a list. */
interface Bullet {
  readonly length: number;
  /** Whether a list with it may begin in the middle of a paragraph. */
  readonly interrupts: boolean;
}

export function bulletOf(text: string): Bullet | null {
  const [bullet, number] = /^(?:[*+-]|(\d{1,9})[.)])(?![^ \t])/.exec(text) ?? [];
  if (bullet === undefined) return null;
  const isEmpty = text.slice(bullet.length).trim() === '';
  const isFirst = number === undefined || Number(number) === 1;
  return { length: bullet.length, interrupts: isFirst && !isEmpty };
}

/** What ends a block of HTML: a text in one of its lines, or an empty line (null). */
export type HtmlEnd = RegExp | null;

const HTML_BLOCKS: readonly (readonly [start: RegExp, end: HtmlEnd])[] = [
  [/^<(?:script|pre|style|textarea)(?=[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![A-Z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [
    /^<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?=\s|\/?>|$)/i,
    null,
  ],
];

/** How a block of HTML ends that begins with a line; undefined where none does. */
export function htmlEndOf(text: string, isInParagraph: boolean): HtmlEnd | undefined {
  const found = HTML_BLOCKS.find(([start]) => start.test(text));
  if (found !== undefined) return found[1];
  if (isInParagraph) return undefined;
  const end = endOfTag(text, 0);
  return end >= 0 && text.slice(end).trim() === '' ? null : undefined;
}

/** Where the cells of a row stand in a line, without the bars around them and their blanks. */
export function cellsOf(text: string): { start: number; end: number }[] {
  const cells: { start: number; end: number }[] = [];
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '|' || at === text.length) {
      cells.push({ start, end: at });
      start = at + 1;
    }
  }
  if (start <= text.length && cells.at(-1)?.end !== text.length) {
    cells.push({ start, end: text.length });
  }
  const isEmpty = (cell: { start: number; end: number } | undefined): boolean =>
    cell !== undefined && text.slice(cell.start, cell.end).trim() === '';
  if (isEmpty(cells[0])) cells.shift();
  if (isEmpty(cells.at(-1))) cells.pop();
  return cells;
}

/** Returns how many columns the delimiter row of a table declares; 0 if the text is no delimiter row. */
export function columnsOf(text: string): number {
  if (!/^[|:-][-:| \t]*$/.test(text) || /^-[ \t]/.test(text)) return 0;
  const cells = cellsOf(text).map(({ start, end }) => text.slice(start, end).trim());
  return cells.every((cell) => /^:?-+:?$/.test(cell)) ? cells.length : 0;
}
