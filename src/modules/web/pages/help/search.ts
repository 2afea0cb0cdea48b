import { pathOf } from './addresses.js';
import { anchorOf } from './anchors.js';
import { parse } from './markdown.js';

/** What stands below one heading of a document. */
export interface HelpSection {
  /** Of the document and, if it is another one, the section. */
  readonly title: string;
  readonly address: string;
  /** Without marks, on one line. */
  readonly text: string;
  /** The same for the search, which would take ten times as long if it converted them each time. */
  readonly lowerCase: { readonly title: string; readonly text: string };
}

/** A section that a search has found. */
export interface FoundSection extends Pick<HelpSection, 'title' | 'address'> {
  /** What stands around the first word that was found, split at the words. */
  readonly excerpt: readonly { readonly text: string; readonly isMatch: boolean }[];
}

export interface SearchResult {
  readonly found: readonly FoundSection[];
  /** How many sections there are, those included that are left out. */
  readonly count: number;
}

const MAX_WORDS = 8;
const MAX_FOUND = 30;
/** In characters. */
const EXCERPT = { before: 60, length: 240 };
/** Headings of this depth and less begin a section. */
const SECTION_DEPTH = 3;

/** @param name of the document */
export function sectionsOf(name: string, markdown: string): HelpSection[] {
  const sections: { title: string; address: string; raw: string }[] = [];
  let document = name;
  for (const token of parse(markdown)) {
    if (token.type === 'heading' && token['depth'] <= SECTION_DEPTH) {
      const heading = String(token['text']);
      const title = heading.replaceAll('`', '');
      const isFirst = sections.length === 0;
      if (isFirst) document = title;
      sections.push({
        title: isFirst ? title : `${document}: ${title}`,
        address: isFirst ? pathOf(name) : `${pathOf(name)}#${anchorOf(heading)}`,
        raw: '',
      });
    } else {
      const last = sections.at(-1);
      if (last !== undefined) last.raw += token.raw;
    }
  }
  return sections.map(({ title, address, raw }) => {
    const text = withoutMarks(raw);
    const lowerCase = { title: title.toLowerCase(), text: text.toLowerCase() };
    return { title, address, text, lowerCase };
  });
}

/** Finds the sections that have all words, those first that have more of them in their title. */
export function search(sections: readonly HelpSection[], query: string): SearchResult {
  const words = wordsOf(query);
  if (words.length === 0) return { found: [], count: 0 };
  const ranked: { readonly section: HelpSection; readonly rank: number }[] = [];
  for (const section of sections) {
    const { title, text } = section.lowerCase;
    const others = words.filter((word) => !title.includes(word));
    if (others.every((word) => text.includes(word))) ranked.push({ section, rank: others.length });
  }
  ranked.sort((a, b) => a.rank - b.rank);
  return {
    found: ranked.slice(0, MAX_FOUND).map(({ section: { title, address, text } }) => ({
      title,
      address,
      excerpt: excerptOf(text, words),
    })),
    count: ranked.length,
  };
}

const wordsOf = (query: string): string[] =>
  query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);

function excerptOf(text: string, words: readonly string[]): FoundSection['excerpt'] {
  const pattern = new RegExp(words.map(escapeRegExp).join('|'), 'gi');
  const first = Math.max(0, text.search(pattern) - EXCERPT.before);
  const begin = first === 0 ? 0 : text.indexOf(' ', first) + 1;
  const cut = text.slice(begin, begin + EXCERPT.length);
  const parts: { text: string; isMatch: boolean }[] = [];
  let end = 0;
  for (const match of cut.matchAll(pattern)) {
    parts.push({ text: cut.slice(end, match.index), isMatch: false });
    parts.push({ text: match[0], isMatch: true });
    end = match.index + match[0].length;
  }
  parts.push({ text: cut.slice(end), isMatch: false });
  return parts.filter((part) => part.text !== '');
}

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Leaves out comments, addresses of links, and what Markdown marks text with. */
const withoutMarks = (markdown: string): string =>
  markdown
    .replace(/<!--.*?-->/gs, '')
    .replace(/\]\([^)\s]*\)/g, '')
    .replace(/[`*\\]/g, '')
    .replace(/-{3,}:?|[|#[\]]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
