import { asStored } from '../../../platform/database/index.js';
import { assertValid, type FieldProblem, invalidFields } from '../../../platform/errors/index.js';
import type { ReleaseLink } from './release-link.entity.js';

/** Each is part of every answer with the release. */
export const LINKS_PER_RELEASE = 100;

const MAX_NAME = 255;
/** Bytes: an index has the address. */
const MAX_URL = 2_048;
const MAX_FILEPATH = 128;

/** Two slashes as well: without them, browsers and other readers of an address take it for different ones. */
const BEGINNING = /^(?:https?|ftp):\/\//i;
const CONTROL_CHARACTER = /\p{Cc}/u;
const FILEPATH = /^\/[\w.\-/]*[\dA-Za-z]$/;
const NOT_IN_FILEPATH = /\/\/|\/\.{1,2}\//;

/** What a link has of its own. */
export type LinkValues = Pick<ReleaseLink, 'name' | 'url' | 'filepath' | 'linkType'>;

/** Returns a link with its texts as they are stored, so that what is taken is seen before the database sees it. */
export const storedLink = (link: LinkValues): LinkValues => ({
  ...link,
  name: asStored(link.name),
  url: asStored(link.url),
});

/**
 * Checks a link of a release, whose texts are as they are stored.
 * @param others the other links of the release, whose names, addresses and paths are taken
 * @throws DomainError invalid fields
 */
export function assertLink(
  { name, url, filepath }: LinkValues,
  others: readonly LinkValues[],
): void {
  const taken = (isTaken: (other: LinkValues) => boolean): FieldProblem[] =>
    others.some(isTaken) ? [{ rule: 'taken' }] : [];
  assertValid({
    name: [...nameProblems(name), ...taken((other) => other.name === name)],
    url: [...urlProblems(url), ...taken((other) => other.url === url)],
    filepath: [
      ...filepathProblems(filepath),
      ...taken((other) => filepath !== null && other.filepath === filepath),
    ],
  });
}

/** Checks all links of a new release. @throws DomainError invalid fields */
export function assertLinks(links: readonly LinkValues[]): void {
  assertRoom(links.length);
  for (const [at, link] of links.entries()) assertLink(link, links.slice(0, at));
}

/** @param count of the links with the new ones @throws DomainError invalid fields */
export function assertRoom(count: number): void {
  if (count <= LINKS_PER_RELEASE) return;
  throw invalidFields({ links: [{ rule: 'too-many', limit: LINKS_PER_RELEASE }] });
}

function nameProblems(name: string): FieldProblem[] {
  if (name.trim() === '') return [{ rule: 'blank' }];
  return name.length > MAX_NAME ? [{ rule: 'too-long', limit: MAX_NAME }] : [];
}

function urlProblems(url: string): FieldProblem[] {
  if (url.trim() === '') return [{ rule: 'blank' }];
  if (Buffer.byteLength(url) > MAX_URL) return [{ rule: 'too-long', limit: MAX_URL }];
  const isAddress = BEGINNING.test(url) && !CONTROL_CHARACTER.test(url) && URL.canParse(url);
  return isAddress ? [] : [{ rule: 'not-an-asset-address' }];
}

function filepathProblems(filepath: string | null): FieldProblem[] {
  if (filepath === null) return [];
  if (filepath.length > MAX_FILEPATH) return [{ rule: 'too-long', limit: MAX_FILEPATH }];
  const isPath = FILEPATH.test(filepath) && !NOT_IN_FILEPATH.test(filepath);
  return isPath ? [] : [{ rule: 'invalid' }];
}
