/** Elements whose content is no prose. */
const CODE = /^<(?<end>\/?)(?:code|pre|kbd|samp|tt|script|style|textarea)(?![\w-])/i;

/** 1 for a tag that begins code, -1 for one that ends it, else 0. */
export function codeDepthOf(tag: string): -1 | 0 | 1 {
  const { end } = CODE.exec(tag)?.groups ?? {};
  if (end === undefined) return 0;
  return end === '' ? 1 : -1;
}

const TAG_NAME = /[A-Za-z][A-Za-z0-9-]*/y;
const ATTRIBUTE = /[A-Za-z_:][\w.:-]*/y;
const BLANK = /[ \t\n]*/y;
const UNQUOTED = /[^ \t\n"'=<>`]+/y;

/**
 * Where an opening or closing HTML tag ends, as CommonMark reads tags; -1 when there is none.
 * @param at where its `<` is
 */
export function endOfTag(text: string, at: number): number {
  const isClosing = text[at + 1] === '/';
  let end = matchAt(TAG_NAME, text, at + (isClosing ? 2 : 1));
  if (end < 0) return -1;
  if (!isClosing) end = endOfAttributes(text, end);
  if (end < 0) return -1;
  end = matchAt(BLANK, text, end);
  if (!isClosing && text[end] === '/') end += 1;
  return text[end] === '>' ? end + 1 : -1;
}

function endOfAttributes(text: string, from: number): number {
  for (let end = from; ;) {
    const blank = matchAt(BLANK, text, end);
    const name = blank === end ? -1 : matchAt(ATTRIBUTE, text, blank);
    if (name < 0) return end;
    end = name;
    const sign = matchAt(BLANK, text, end);
    if (text[sign] !== '=') continue;
    end = endOfValue(text, matchAt(BLANK, text, sign + 1));
    if (end < 0) return -1;
  }
}

function endOfValue(text: string, at: number): number {
  const quote = text[at];
  if (quote !== '"' && quote !== "'") return matchAt(UNQUOTED, text, at);
  const end = text.indexOf(quote, at + 1);
  return end < 0 ? -1 : end + 1;
}

/** Where a sticky pattern ends that matches at a place; -1 when it does not. */
export function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

const TAG = /<\/?[a-z][^<>]*>/iy;
const COMMENT = { start: '<!--', end: '-->' };

/**
 * The text of a piece of HTML, of the same length: tags, comments and the content of elements that hold
 * code are filled up.
 * @param filling one character
 */
export function readHtml(html: string, filling: string): string {
  let text = '';
  let hidden = 0;
  const copy = (end: number): void => {
    text += hidden > 0 ? filling.repeat(end - text.length) : html.slice(text.length, end);
  };
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', Math.max(at + 1, text.length))) {
    const end = endOfMarkup(html, at);
    if (end === null) continue;
    copy(at);
    text += filling.repeat(end - at);
    hidden = Math.max(0, hidden + codeDepthOf(html.slice(at, end)));
  }
  copy(html.length);
  return text;
}

function endOfMarkup(html: string, at: number): number | null {
  if (html.startsWith(COMMENT.start, at)) {
    const end = html.indexOf(COMMENT.end, at + COMMENT.start.length);
    return end < 0 ? html.length : end + COMMENT.end.length;
  }
  TAG.lastIndex = at;
  const [tag] = TAG.exec(html) ?? [];
  return tag === undefined ? null : at + tag.length;
}
