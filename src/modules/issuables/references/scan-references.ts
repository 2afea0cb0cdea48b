import type { NamedProject, Occurrence } from './reference.js';
import { issuableOfUrl } from './reference-url.js';

/** What can stand for a reference: an address, or a sign with a number or name behind it. */
const CANDIDATE = new RegExp(
  [
    String.raw`(?<url>https?:\/\/[^\s<>"\0]+)`,
    String.raw`(?<sign>[#!])(?<number>\d{1,10})(?![\p{L}\p{N}_])`,
    String.raw`(?<group>[~%])(?:"(?<quoted>[^"\n\0]{1,255})"|(?<name>[\p{L}\p{N}_](?:[\p{L}\p{N}_.?&-]{0,253}[\p{L}\p{N}_&-])?))`,
  ].join('|'),
  'giu',
);

const LONGEST_PREFIX = 511;
const IN_PREFIX = /[A-Za-z0-9_./-]/;
const PREFIX =
  /^(?:(?<namespace>[A-Za-z0-9_.][A-Za-z0-9_.-]*)\/)?(?<path>[A-Za-z0-9_.][A-Za-z0-9_.-]*)$/;

/**
 * The references to issues, merge requests, labels and milestones in a text without markup, in order.
 * @param externalUrl where the web interface of this installation is
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

/** @param done up to where the text belongs to what was found before */
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

/** Null: what stands before the sign does not belong to it; undefined: it spoils it. */
function projectOf(prefix: string): NamedProject | null | undefined {
  if (/^[./-]*$/.test(prefix)) return null;
  const { namespace, path } = PREFIX.exec(prefix)?.groups ?? {};
  return path === undefined ? undefined : { namespace: namespace ?? null, path };
}
