import sanitizeHtml from 'sanitize-html';
import { prefixedId, resolveAddress } from './addresses.js';
import type { RenderContext } from './rendered-text.js';

/** Elements within one another; deeper ones are left out with what they hold. */
const MOST_LEVELS = 200;

const ALIGNED = ['p', 'div', 'img', 'table', 'th', 'td', 'tr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

const SIZED = ['width', 'height'];

/** What the HTML of a text may consist of. Everything else is left out. */
const RULES: sanitizeHtml.IOptions = {
  allowedTags: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'div', 'span', 'br', 'hr', 'wbr', 'blockquote'],
    ...['ul', 'ol', 'li', 'dl', 'dt', 'dd', 'pre', 'code', 'kbd', 'samp', 'tt', 'var', 'a', 'img'],
    ...['b', 'strong', 'i', 'em', 'u', 's', 'strike', 'del', 'ins', 'sub', 'sup', 'small', 'mark'],
    ...['q', 'cite', 'abbr', 'dfn', 'bdi', 'bdo', 'ruby', 'rt', 'rp', 'time', 'input'],
    ...['details', 'summary', 'figure', 'figcaption'],
    ...['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
  ],
  allowedAttributes: {
    '*': ['id', 'dir', 'lang', 'title', 'aria-label', 'aria-hidden', 'class'],
    ...Object.fromEntries(ALIGNED.map((name) => [name, ['align']])),
    a: ['href', 'rel'],
    img: ['src', 'alt', 'align', ...SIZED],
    input: ['type', 'checked', 'disabled'],
    ol: ['start', 'reversed', 'type'],
    li: ['value'],
    details: ['open'],
    th: ['align', 'valign', 'colspan', 'rowspan', 'scope'],
    td: ['align', 'valign', 'colspan', 'rowspan'],
    time: ['datetime'],
  },
  allowedClasses: {
    code: ['language-*'],
    a: ['anchor'],
    ul: ['task-list'],
    ol: ['task-list'],
    li: ['task-list-item'],
    input: ['task-list-item-checkbox'],
    '*': [],
  },
  allowedSchemes: ['http', 'https', 'ftp', 'mailto', 'tel'],
  allowedSchemesAppliedToAttributes: ['href', 'src'],
  nonTextTags: [
    ...['script', 'style', 'textarea', 'option', 'noscript', 'title', 'xmp', 'iframe', 'noembed'],
    ...['noframes', 'plaintext', 'template', 'svg', 'math', 'object', 'select', 'button'],
  ],
  // A box of a task list, which is for reading.
  exclusiveFilter: ({ tag, attribs }) => tag === 'input' && attribs['type'] !== 'checkbox',
  nestingLimit: MOST_LEVELS,
  parseStyleAttributes: false,
};

/**
 * Makes HTML safe: without scripts, styles, forms and addresses that run code. IDs get a prefix, addresses are resolved.
 * @param restore writes references in attributes as the text has them
 */
export function sanitize(
  html: string,
  context: RenderContext,
  restore: (text: string) => string,
): string {
  const transform = (tagName: string, given: sanitizeHtml.Attributes): sanitizeHtml.Tag => {
    const attribs = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, restore(value)]),
    );
    const id = attribs['id'] ?? (tagName === 'a' ? attribs['name'] : undefined);
    if (id !== undefined) attribs['id'] = prefixedId(id);
    if (tagName === 'a') linkTo(attribs, context);
    if (tagName === 'img') {
      attribs['src'] = resolveAddress(attribs['src'] ?? '', context, 'image').href;
    }
    if (tagName === 'input') attribs['disabled'] = '';
    return { tagName, attribs };
  };
  return sanitizeHtml(html, { ...RULES, transformTags: { '*': transform } });
}

function linkTo(attribs: sanitizeHtml.Attributes, context: RenderContext): void {
  delete attribs['rel'];
  const given = attribs['href'];
  if (given === undefined) return;
  const { href, isExternal } = resolveAddress(given, context, 'link');
  attribs['href'] = href;
  if (isExternal) attribs['rel'] = 'nofollow noreferrer noopener';
}
