import type { IssuableType } from '../model/issuable.js';

/** A project as texts name it. */
export interface NamedProject {
  /** Null: the namespace of the text's own project. */
  readonly namespace: string | null;
  readonly path: string;
}

/** That a text refers to an issue or merge request by its number. */
export interface IssuableReference {
  readonly type: IssuableType;
  /** Null: the text's own project. */
  readonly project: NamedProject | null;
  readonly iid: number;
}

/** A reference with its position in a text. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  readonly sign: '#' | '!' | '~' | '%';
  readonly project: NamedProject | null;
  /** The name after the sign, without quotes. */
  readonly name: string;
  /** Whether it is written as the URL of its target in the web interface. */
  readonly isUrl: boolean;
}

const URL_PATTERN = String.raw`https?:\/\/[^\s<>"\0]+`;
const URL_HERE = new RegExp(URL_PATTERN, 'iy');

/** Matches candidates of references: a URL, or a sign with a number or name. */
const CANDIDATE = new RegExp(
  [
    `(?<url>${URL_PATTERN})`,
    String.raw`(?<sign>[#!])(?<number>\d{1,10})(?![\p{L}\p{N}_])`,
    String.raw`(?<group>[~%])(?:"(?<quoted>[^"\n\0]{1,255})"|(?<name>[\p{L}\p{N}_](?:[\p{L}\p{N}_.?&-]{0,253}[\p{L}\p{N}_&-])?))`,
  ].join('|'),
  'giu',
);

/** Returns where a URL that begins at an offset ends, without commas behind it; undefined if none begins there. */
export function endOfUrl(text: string, start: number): number | undefined {
  URL_HERE.lastIndex = start;
  if (!URL_HERE.test(text)) return undefined;
  let end = URL_HERE.lastIndex;
  while (text[end - 1] === ',') end -= 1;
  return end;
}

const LONGEST_PREFIX = 511;
const IN_PREFIX = /[A-Za-z0-9_./-]/;
const PREFIX =
  /^(?:(?<namespace>[A-Za-z0-9_.][A-Za-z0-9_.-]*)\/)?(?<path>[A-Za-z0-9_.][A-Za-z0-9_.-]*)$/;

/**
 * The references to issues, merge requests, labels and milestones in a text without markup, in order.
 * @param externalUrl the address of this installation's web interface
 */
export function scanReferences(text: string, externalUrl: string): Occurrence[] {
  const found: Occurrence[] = [];
  let done = 0;
  for (const match of text.matchAll(CANDIDATE)) {
    const { index, 0: whole, groups = {} } = match;
    const occurrence =
      groups['url'] === undefined
        ? signed(text, done, index, whole, groups)
        : addressed(index, groups['url'], externalUrl);
    if (occurrence !== null) found.push(occurrence);
    if (occurrence !== null || groups['url'] !== undefined) done = index + whole.length;
  }
  return found;
}

function addressed(start: number, url: string, externalUrl: string): Occurrence | null {
  const issuable = issuableOfUrl(url, externalUrl);
  if (issuable === null) return null;
  const { sign, project, number } = issuable;
  const end = start + issuable.length;
  return { start, end, sign, project, name: number, isUrl: true };
}

/** @param done the end of the previous reference */
function signed(
  text: string,
  done: number,
  at: number,
  whole: string,
  { sign, group, number, quoted, name }: Record<string, string | undefined>,
): Occurrence | null {
  const prefix = prefixBefore(text, done, at);
  const start = at - prefix.length;
  // Neither a series of signs nor what is left of an entity.
  if ([whole.charAt(0), '&'].includes(text.charAt(start - 1))) return null;
  const project = projectOf(prefix);
  if (project === undefined) return null;
  return {
    start: project === null ? at : start,
    end: at + whole.length,
    sign: (sign ?? group) as Occurrence['sign'],
    project,
    name: number ?? quoted ?? name ?? '',
    isUrl: false,
  };
}

function prefixBefore(text: string, done: number, at: number): string {
  const least = Math.max(done, at - LONGEST_PREFIX);
  let start = at;
  while (start > least && IN_PREFIX.test(text.charAt(start - 1))) start -= 1;
  return text.slice(start, at);
}

/** Returns the project before a sign; null if there is none, undefined if the text before it makes it no reference. */
function projectOf(prefix: string): NamedProject | null | undefined {
  if (/^[./-]*$/.test(prefix)) return null;
  const { namespace, path } = PREFIX.exec(prefix)?.groups ?? {};
  return path === undefined ? undefined : { namespace: namespace ?? null, path };
}

const MENTION = new RegExp(
  String.raw`${URL_PATTERN}|(?<![\p{L}\p{N}_@/.-])@(?<name>[A-Za-z0-9_.][A-Za-z0-9_.-]{0,254})`,
  'giu',
);

/** A name with its position in a text. */
export interface NameOccurrence {
  readonly start: number;
  readonly end: number;
  /** As it is written, without a sign. */
  readonly name: string;
}

/** The mentions in a text without markup, in order; what looks like one in a URL is none. */
export function scanMentions(text: string): NameOccurrence[] {
  return [...text.matchAll(MENTION)].flatMap(({ index, groups }) => {
    const name = withoutLastDots(groups?.['name'] ?? '');
    return name === '' ? [] : { start: index, end: index + 1 + name.length, name };
  });
}

const COMMIT = new RegExp(
  String.raw`${URL_PATTERN}|(?<![\p{L}\p{N}_@/.#~%!-])(?<hash>[0-9a-f]{7,40})(?![\p{L}\p{N}_@/-])`,
  'gu',
);

/** What may be the hash of a commit in a text without markup, in order; also numbers are. */
export function scanHashes(text: string): NameOccurrence[] {
  return [...text.matchAll(COMMIT)].flatMap(({ index, groups }) => {
    const name = groups?.['hash'];
    return name === undefined ? [] : { start: index, end: index + name.length, name };
  });
}

function withoutLastDots(name: string): string {
  let end = name.length;
  while (name[end - 1] === '.') end -= 1;
  return name.slice(0, end);
}

const ISSUABLE =
  /^\/(?<namespace>[\w.-]+)\/(?<path>[\w.-]+)\/(?:-\/)?(?<segment>issues|merge_requests)\/(?<number>\d{1,10})(?![\w/%-])(?:#note_\d+)?/;

interface AddressedIssuable {
  readonly sign: '#' | '!';
  readonly project: NamedProject;
  readonly number: string;
  /** How much of the address names it. */
  readonly length: number;
}

/** Returns the issue or merge request of a URL of the web interface; null for other URLs. */
export function issuableOfUrl(url: string, externalUrl: string): AddressedIssuable | null {
  if (!url.startsWith(`${externalUrl}/`)) return null;
  const match = ISSUABLE.exec(url.slice(externalUrl.length));
  const { namespace, path, segment, number } = match?.groups ?? {};
  if (namespace === undefined || path === undefined || number === undefined) return null;
  return {
    sign: segment === 'issues' ? '#' : '!',
    project: { namespace, path },
    number,
    length: externalUrl.length + (match?.[0].length ?? 0),
  };
}
