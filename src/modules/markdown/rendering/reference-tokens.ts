import MarkdownIt, { type Token } from 'markdown-it';
import {
  OPAQUE,
  OpaqueElements,
  readHtml,
  scanHashes,
  scanMentions,
  scanReferences,
  SIGNS,
} from '../../issuables/references/syntax.js';
import { anchorOf, escapeHtml, type PlacedReference, type TextReference } from './rendered-text.js';

/** References of one text that become links, whether they are the same or not. */
const REFERENCES_PER_TEXT = 3_000;

/** The type of the token that stands for a reference. */
export const REFERENCE_TOKEN = 'reference';

/** Encloses the number of a reference in HTML. Markdown and HTML have no such character. */
const MARK = OPAQUE;
const MARKS = new RegExp(`${MARK}(\\d+)${MARK}`);
const ALL_MARKS = new RegExp(MARKS, 'g');

/** A reference in the text of a block. */
interface FoundReference extends TextReference {
  readonly start: number;
  readonly end: number;
  readonly isUrl: boolean;
}

/** A part of the text of a block: what a token shows, from an offset on. */
interface Part {
  readonly token: Token;
  readonly start: number;
  readonly shown: string;
  /** Whether it may hold references. */
  readonly isText: boolean;
  /** Of the parts of an address that is a link by itself. */
  readonly address: Address | null;
}

/** Where an address is shown. */
interface Address {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the references of a text in its tokens, and keeps their places. What counts as one, and what is code, is decided as
 * for the effects of references: a test holds both against each other.
 */
export class PlacedReferences {
  private readonly found: PlacedReference[] = [];
  /** As they are written. */
  private readonly written: string[] = [];

  constructor(private readonly externalUrl: string) {}

  /** Replaces the references of a block of text by tokens of their own. */
  placeInline(children: Token[]): Token[] {
    const parts = partsOf(children);
    const text = parts.map(({ shown }) => shown).join('');
    const { plain, whole } = apart(this.find(text), parts);
    if (plain.length + whole.size === 0) return children;
    const placed: Token[] = [];
    let next = 0;
    for (const { token, start, shown, isText, address } of parts) {
      const reference = address === null ? undefined : whole.get(address);
      if (reference !== undefined) {
        if (token.type === 'link_open') placed.push(this.tokenOf(reference, text));
        continue;
      }
      const end = start + shown.length;
      if (!isText || (plain[next]?.start ?? end) >= end) {
        placed.push(token);
        continue;
      }
      let at = start;
      for (let one = plain[next]; one !== undefined && one.start < end; one = plain[next]) {
        if (one.start > at) placed.push(textToken(text.slice(at, one.start)));
        if (one.start >= start) placed.push(this.tokenOf(one, text));
        at = Math.min(one.end, end);
        // A reference with an escaped sign in its name goes on in the next part.
        if (one.end > end) break;
        next += 1;
      }
      if (at < end) placed.push(textToken(text.slice(at, end)));
    }
    return placed;
  }

  /** Replaces the references of a block of HTML by marks. */
  placeHtml(html: string): string {
    const pieces: string[] = [];
    let done = 0;
    for (const one of this.find(readHtml(html, OPAQUE))) {
      const written = html.slice(one.start, one.end);
      // Entities, and brackets that are no tags, stay as they are.
      if (/[&<>]/.test(written)) continue;
      pieces.push(html.slice(done, one.start), this.keep(one, written, escapeHtml(written)));
      done = one.end;
    }
    return pieces.join('') + html.slice(done);
  }

  /** Writes references instead of their marks as the text has them. */
  restore(text: string): string {
    return text.replace(ALL_MARKS, (_, index: string) => this.written[Number(index)] ?? '');
  }

  /** Divides HTML at the marks. */
  divide(html: string): { pieces: string[]; references: PlacedReference[] } {
    const divided = html.split(MARKS);
    return {
      pieces: divided.filter((_, index) => index % 2 === 0),
      references: divided.flatMap((mark, index) =>
        index % 2 === 1 ? (this.found[Number(mark)] ?? []) : [],
      ),
    };
  }

  private find(text: string): FoundReference[] {
    const all = [
      ...scanReferences(text, this.externalUrl),
      ...scanMentions(text).map(named('@')),
      ...scanHashes(text).map(named('')),
    ].sort((a, b) => a.start - b.start);
    let end = 0;
    const apart = all.filter((one) => {
      if (one.start < end) return false;
      end = one.end;
      return true;
    });
    return apart.slice(0, Math.max(0, REFERENCES_PER_TEXT - this.found.length));
  }

  private tokenOf(reference: FoundReference, text: string): Token {
    const written = text.slice(reference.start, reference.end);
    const escaped = escapeHtml(written);
    const token = new MarkdownIt.Token(REFERENCE_TOKEN, '', 0);
    const plain = reference.isUrl ? anchorOf(written, escaped) : escaped;
    token.content = this.keep(reference, written, plain);
    return token;
  }

  /** @returns its mark */
  private keep(
    { sign, project, name, isUrl }: FoundReference,
    written: string,
    plain: string,
  ): string {
    this.found.push({ sign, project, name, isUrl, plain });
    this.written.push(written);
    return `${MARK}${String(this.found.length - 1)}${MARK}`;
  }
}

const named =
  (sign: '@' | '') =>
  ({ start, end, name }: { start: number; end: number; name: string }): FoundReference => ({
    sign,
    start,
    end,
    name,
    project: null,
    isUrl: false,
  });

/** Reads the tokens of a block as text, with `OPAQUE` for code, links, pictures and markup. */
function partsOf(children: readonly Token[]): Part[] {
  const parts: Part[] = [];
  const opaque = new OpaqueElements();
  let links = 0;
  let length = 0;
  let address: Part['address'] = null;
  const add = (token: Token, shown: string, isText: boolean): void => {
    parts.push({ token, start: length, shown, isText, address });
    length += shown.length;
  };
  for (const [index, token] of children.entries()) {
    const isHidden = opaque.areOpen || links > 0;
    if (token.type === 'html_inline') opaque.read(token.content);
    if (token.type === 'link_open' && token.info === 'auto' && !isHidden) {
      const shown = children[index + 1]?.content ?? '';
      address = { start: length, end: length + shown.length };
      add(token, '', false);
    } else if (token.type === 'link_close' && address !== null) {
      add(token, '', false);
      address = null;
    } else {
      if (token.type === 'link_open') links += 1;
      const shown = isHidden ? null : shownBy(token);
      add(token, shown ?? OPAQUE, shown !== null && token.type.startsWith('text'));
      if (token.type === 'link_close') links -= 1;
    }
  }
  return parts;
}

/** Null for what is no text. */
function shownBy({ type, content, markup, info }: Token): string | null {
  switch (type) {
    case 'text':
      return content;
    case 'softbreak':
    case 'hardbreak':
      return '\n';
    case 'text_special':
      if (info === 'entity') return markup === '&amp;' ? content : null;
      return SIGNS.includes(content) ? null : content;
    default:
      return null;
  }
}

/** References in text, and those that are an address as a whole. Others in addresses are left out. */
function apart(
  references: readonly FoundReference[],
  parts: readonly Part[],
): { plain: FoundReference[]; whole: ReadonlyMap<Address, FoundReference> } {
  const addresses = [...new Set(parts.flatMap(({ address }) => address ?? []))];
  const plain: FoundReference[] = [];
  const whole = new Map<Address, FoundReference>();
  let next = 0;
  for (const one of references) {
    while ((addresses[next]?.end ?? Infinity) <= one.start) next += 1;
    const address = addresses[next];
    if (address === undefined || address.start >= one.end) plain.push(one);
    else if (address.start === one.start && address.end === one.end) whole.set(address, one);
  }
  return { plain, whole };
}

function textToken(content: string): Token {
  const token = new MarkdownIt.Token('text', '', 0);
  token.content = content;
  return token;
}
