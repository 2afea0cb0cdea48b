import MarkdownIt, { type Token } from 'markdown-it';
import { withEmoji } from './emoji.js';
import { REFERENCE_TOKEN } from './reference-tokens.js';

/** The type of the token of a box in a task list. */
export const CHECKBOX_TOKEN = 'task_checkbox';

const TASK = /^\[([ xX])\][ \t]/;
const ALIGNMENT = /^text-align:(left|center|right)$/;

/** The blocks whose text may run in either direction. */
const DIRECTED = new Set([
  'paragraph_open',
  'heading_open',
  'bullet_list_open',
  'ordered_list_open',
]);

/** Replaces names of emoji in the text of a block; addresses that are links by themselves stay as they are. */
export function placeEmoji(children: readonly Token[]): void {
  let isAddress = false;
  for (const token of children) {
    if (token.type === 'link_open') isAddress = token.info === 'auto';
    if (token.type === 'link_close') isAddress = false;
    if (token.type === 'text' && !isAddress) token.content = withEmoji(token.content);
  }
}

/** Marks the items of a list that begin with a box, such as `[x]`. */
export function markTasks(tokens: readonly Token[]): void {
  const lists: Token[] = [];
  for (const [index, token] of tokens.entries()) {
    if (/^(?:bullet|ordered)_list_open$/.test(token.type)) lists.push(token);
    else if (/^(?:bullet|ordered)_list_close$/.test(token.type)) lists.pop();
    const item = tokens[index - 2];
    const first = token.children?.[0];
    if (token.type !== 'inline' || item?.type !== 'list_item_open' || first?.type !== 'text')
      continue;
    const [whole, sign] = TASK.exec(first.content) ?? [];
    if (whole === undefined) continue;
    first.content = first.content.slice(whole.length - 1);
    const box = new MarkdownIt.Token(CHECKBOX_TOKEN, '', 0);
    box.meta = { isChecked: sign !== ' ' };
    token.children?.unshift(box);
    item.attrSet('class', 'task-list-item');
    lists.at(-1)?.attrSet('class', 'task-list');
  }
}

/** Gives headings an ID and a link to themselves, and blocks their direction and alignment. */
export function markBlocks(tokens: readonly Token[], restore: (text: string) => string): void {
  const taken = new Map<string, number>();
  for (const [index, token] of tokens.entries()) {
    const [, alignment] = ALIGNMENT.exec(token.attrGet('style')?.toString() ?? '') ?? [];
    if (alignment !== undefined) token.attrs = [['align', alignment]];
    if (DIRECTED.has(token.type)) token.attrSet('dir', 'auto');
    const content = tokens[index + 1];
    if (token.type !== 'heading_open' || content === undefined) continue;
    const text = restore(textOf(content.children ?? [])).trim();
    const id = unusedId(idOf(text), taken);
    if (id === '') continue;
    token.attrSet('id', id);
    const link = new MarkdownIt.Token('link_open', 'a', 1);
    link.attrs = [
      ['class', 'anchor'],
      ['href', `#${id}`],
      ['aria-label', `Link to heading '${text}'`],
    ];
    content.children?.push(link, new MarkdownIt.Token('link_close', 'a', -1));
  }
}

const textOf = (children: readonly Token[]): string =>
  children
    .filter(({ type }) => ['text', 'code_inline', REFERENCE_TOKEN].includes(type))
    .map(({ content }) => content)
    .join('');

/** As GitLab makes them: `Über uns!` becomes `über-uns`. */
function idOf(text: string): string {
  const id = text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replace(/[ -]+/g, '-');
  return /^\d+$/.test(id) ? `anchor-${id}` : id;
}

function unusedId(id: string, taken: Map<string, number>): string {
  const before = taken.get(id);
  taken.set(id, (before ?? 0) + 1);
  return before === undefined || id === '' ? id : `${id}-${String(before)}`;
}
