import type { NamedProject } from './reference.js';

const ISSUABLE =
  /^\/(?<namespace>[\w.-]+)\/(?<path>[\w.-]+)\/(?<segment>issues|merge_requests)\/(?<number>\d{1,10})(?![\w/%-])(?:#note_\d+)?/;

export interface AddressedIssuable {
  readonly sign: '#' | '!';
  readonly project: NamedProject;
  readonly number: string;
  /** How much of the address names it. */
  readonly length: number;
}

/** The issue or merge request that an address in the web interface stands for; null for others. */
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
