import { codeDepthOf } from './markdown/html-tags.js';

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
