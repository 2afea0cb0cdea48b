import { type Delimiters, delimitersAt, pairDelimiters } from './emphasis.js';
import { endOfTag, matchAt, OpaqueElements } from './html-tags.js';
import { lastAtMost } from './source-line.js';
import { endOfLabel, inlineTarget, LONGEST_LABEL, normalLabel } from './link-parts.js';

/** Stands in texts for markup, code and pictures, and for an escaped sign. */
export const OPAQUE = '\0';

/** What begins references: escaped, it does not. */
export const SIGNS = '#!@~%';

/** What reads as something else than itself. */
const MARKUP = /[\\`<&[\]!*_]/;
const PLAIN = /[^\\`<&[\]!*_]+/y;
const RUN = { '`': /`+/y, '*': /\*+/y, _: /_+/y } as const;
const ESCAPED = /[!-/:-@[-`{-~\n]/;
const ENTITY = /&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});/y;
const ADDRESS = /<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>/y;
const EMAIL = /<[^\s<>@]+@[^\s<>@]+>/y;

/** What of a character is seen of the text. */
const SHOWN = 0;
const HIDDEN = 1;
const LEFT_OUT = 2;
/** In an element whose content refers to nothing. */
const IN_ELEMENT = 3;

/** The text of a piece of Markdown as it reads without its markup. */
export interface ReadText {
  readonly text: string;
  /** Destinations of the links in it. */
  readonly links: readonly string[];
  /** Where a character of the text stands in what was read. */
  locate(offset: number): number;
}

/** Reads the content of a paragraph, heading or cell. @param labels those of link definitions */
export function readInlines(content: string, labels: ReadonlySet<string>): ReadText {
  if (!MARKUP.test(content)) return { text: content, links: [], locate: (offset) => offset };
  return new InlineReader(content, labels).read();
}

interface Bracket {
  /** Where `[` or `![` is. */
  readonly at: number;
  readonly isImage: boolean;
  /** How many delimiters, links and tags stood before it. */
  readonly delimiters: number;
  readonly links: number;
  readonly tags: number;
  /** Whether there is a bracket within it: what it holds is no label then. */
  holdsBrackets: boolean;
}

class InlineReader {
  private readonly seen: Uint8Array;
  private readonly delimiters: Delimiters[] = [];
  private readonly brackets: Bracket[] = [];
  /** The brackets below this index begin no link any more: there is one within them. */
  private linkless = 0;
  private readonly links: { at: number; href: string }[] = [];
  private readonly tags: { at: number; end: number }[] = [];
  /** Those that stand in no other one. */
  private readonly images: { start: number; end: number }[] = [];
  /** By length, where the last run of backticks of that length begins. */
  private readonly backticks = new Map<number, number>();
  /** Ends of HTML constructs that are not there from here on. */
  private readonly missing = new Set<string>();

  constructor(
    private readonly content: string,
    private readonly labels: ReadonlySet<string>,
  ) {
    this.seen = new Uint8Array(content.length);
    for (const { 0: run, index } of content.matchAll(/`+/g)) this.backticks.set(run.length, index);
  }

  read(): ReadText {
    for (let at = 0; at < this.content.length;) at = this.next(at);
    this.pair(0);
    for (const { start, end } of this.images) this.hide(start, end);
    this.hideElements();
    return this.shown();
  }

  /** Reads what stands at a place. @returns where it ends */
  private next(at: number): number {
    const { content } = this;
    switch (content[at]) {
      case '\\':
        return this.escape(at);
      case '`':
        return this.code(at);
      case '<':
        return this.angle(at);
      case '&':
        return this.entity(at);
      case '!':
        return content[at + 1] === '[' ? this.open(at, true) : at + 1;
      case '[':
        return this.open(at, false);
      case ']':
        return this.close(at);
      case '*':
      case '_': {
        const end = matchAt(RUN[content[at] === '_' ? '_' : '*'], content, at);
        this.delimiters.push(delimitersAt(content, at, end));
        return end;
      }
      default:
        return matchAt(PLAIN, content, at);
    }
  }

  private escape(at: number): number {
    const sign = this.content.charAt(at + 1);
    if (!ESCAPED.test(sign)) return at + 1;
    if (SIGNS.includes(sign)) return this.hide(at, at + 2);
    this.seen[at] = LEFT_OUT;
    return at + 2;
  }

  private entity(at: number): number {
    const end = matchAt(ENTITY, this.content, at);
    if (end < 0) return at + 1;
    if (!this.content.startsWith('&amp;', at)) return this.hide(at, end);
    this.seen.fill(LEFT_OUT, at + 1, end);
    return end;
  }

  private code(at: number): number {
    const end = matchAt(RUN['`'], this.content, at);
    const length = end - at;
    if ((this.backticks.get(length) ?? -1) < end) return end;
    const run = /`+/g;
    run.lastIndex = end;
    for (let found = run.exec(this.content); found !== null; found = run.exec(this.content)) {
      if (found[0].length === length) return this.hide(at, run.lastIndex);
    }
    return end;
  }

  private angle(at: number): number {
    const { content } = this;
    const address = matchAt(ADDRESS, content, at);
    if (address >= 0) {
      this.links.push({ at, href: content.slice(at + 1, address - 1) });
      this.seen[at] = LEFT_OUT;
      this.seen[address - 1] = LEFT_OUT;
      return address;
    }
    const email = matchAt(EMAIL, content, at);
    if (email >= 0) return this.hide(at, email);
    const end = this.endOfHtml(at);
    if (end < 0) return at + 1;
    this.tags.push({ at, end });
    return this.hide(at, end);
  }

  private endOfHtml(at: number): number {
    const { content } = this;
    if (content.startsWith('<!--', at)) {
      const [short] = /^<!---?>/.exec(content.slice(at, at + 6)) ?? [];
      return short === undefined ? this.endAfter('-->', at + 4) : at + short.length;
    }
    if (content.startsWith('<![CDATA[', at)) return this.endAfter(']]>', at + 9);
    if (content[at + 1] === '?') return this.endAfter('?>', at + 2);
    if (content[at + 1] === '!') {
      return /[A-Za-z]/.test(content.charAt(at + 2)) ? this.endAfter('>', at + 3) : -1;
    }
    return endOfTag(content, at);
  }

  private endAfter(closing: string, from: number): number {
    const end = this.missing.has(closing) ? -1 : this.content.indexOf(closing, from);
    if (end >= 0) return end + closing.length;
    this.missing.add(closing);
    return -1;
  }

  private open(at: number, isImage: boolean): number {
    const outer = this.brackets.at(-1);
    if (outer !== undefined) outer.holdsBrackets = true;
    this.brackets.push({
      at,
      isImage,
      holdsBrackets: false,
      delimiters: this.delimiters.length,
      links: this.links.length,
      tags: this.tags.length,
    });
    return at + (isImage ? 2 : 1);
  }

  private close(at: number): number {
    const bracket = this.brackets.pop();
    if (bracket === undefined) return at + 1;
    const mayLink = bracket.isImage || this.brackets.length >= this.linkless;
    this.linkless = Math.min(this.linkless, this.brackets.length);
    const target = mayLink ? this.targetOf(bracket, at) : null;
    if (target === null) return at + 1;
    this.pair(bracket.delimiters);
    this.links.length = bracket.links;
    if (bracket.isImage) {
      this.tags.length = bracket.tags;
      while ((this.images.at(-1)?.start ?? -1) >= bracket.at) this.images.pop();
      this.images.push({ start: bracket.at, end: target.end });
      return target.end;
    }
    if (target.href !== null) this.links.push({ at: bracket.at, href: target.href });
    this.linkless = this.brackets.length;
    return this.hide(bracket.at, target.end);
  }

  /** What a bracket links to that is closed here; null when it is text. */
  private targetOf(bracket: Bracket, at: number): { end: number; href: string | null } | null {
    const { content, labels } = this;
    const inline = inlineTarget(content, at + 1);
    if (inline !== null) return inline;
    if (labels.size === 0) return null;
    const start = bracket.at + (bracket.isImage ? 2 : 1);
    const labelEnd = endOfLabel(content, at + 1);
    const hasLabel = labelEnd > at + 3;
    if (!hasLabel && (bracket.holdsBrackets || at - start > LONGEST_LABEL)) return null;
    const label = hasLabel ? content.slice(at + 2, labelEnd - 1) : content.slice(start, at);
    // The destination is read where the label is defined.
    return labels.has(normalLabel(label)) ? { end: Math.max(labelEnd, at + 1), href: null } : null;
  }

  /** Pairs the delimiters of emphasis from an index on. */
  private pair(first: number): void {
    pairDelimiters(this.delimiters.splice(first), (start, end) => this.hide(start, end));
  }

  private hide(start: number, end: number): number {
    this.seen.fill(HIDDEN, start, end);
    return end;
  }

  /** Hides the content of `<code>`, `<a>` and the like. */
  private hideElements(): void {
    const opaque = new OpaqueElements();
    let start = 0;
    for (const { at, end } of this.tags) {
      if (opaque.areOpen) this.seen.fill(IN_ELEMENT, start, at);
      opaque.read(this.content.slice(at, end));
      start = end;
    }
    if (opaque.areOpen) this.seen.fill(IN_ELEMENT, start);
  }

  private shown(): ReadText {
    const { content, seen } = this;
    const links = this.links.filter(({ at }) => seen[at] !== IN_ELEMENT).map(({ href }) => href);
    const pieces: string[] = [];
    const offsets: number[] = [];
    const starts: number[] = [];
    let length = 0;
    for (let start = 0, end = 0; start < content.length; start = end) {
      const kind = seen[start];
      while (end < content.length && seen[end] === kind) end += 1;
      if (kind === LEFT_OUT) continue;
      const piece = kind === SHOWN ? content.slice(start, end) : OPAQUE;
      pieces.push(piece);
      offsets.push(length);
      starts.push(start);
      length += piece.length;
    }
    const locate = (offset: number): number => {
      const index = lastAtMost(offsets, offset);
      return (starts[index] ?? 0) + offset - (offsets[index] ?? 0);
    };
    return { text: pieces.join(''), links, locate };
  }
}
