/** Elements whose content refers to nothing: code, and the text of links. */
const OPAQUE_ELEMENT =
  /^<(?<end>\/?)(?:(?<link>a)|code|pre|kbd|samp|tt|script|style|textarea)(?![\w-])/i;

/** The elements that are open at some place of a text and whose content refers to nothing. */
export class OpaqueElements {
  private codeDepth = 0;
  private isInLink = false;

  get areOpen(): boolean {
    return this.isInLink || this.codeDepth > 0;
  }

  /** Reads a tag; others are ignored, and so are empty elements (`<a name="top"/>`). */
  read(tag: string): void {
    const { end, link } = OPAQUE_ELEMENT.exec(tag)?.groups ?? {};
    if (end === undefined || tag.endsWith('/>')) return;
    // A link does not hold another one: its tag ends the one before.
    if (link !== undefined) this.isInLink = end === '';
    else this.codeDepth = Math.max(0, this.codeDepth + (end === '' ? 1 : -1));
  }
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
 * The text of a piece of HTML, of the same length: tags, comments and the content of elements that refers to nothing
 * are filled up.
 * @param filling one character
 */
export function readHtml(html: string, filling: string): string {
  let text = '';
  const opaque = new OpaqueElements();
  const copy = (end: number): void => {
    text += opaque.areOpen ? filling.repeat(end - text.length) : html.slice(text.length, end);
  };
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', Math.max(at + 1, text.length))) {
    const end = endOfMarkup(html, at);
    if (end === null) continue;
    copy(at);
    text += filling.repeat(end - at);
    opaque.read(html.slice(at, end));
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
