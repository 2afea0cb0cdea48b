import { readMarkdown } from './markdown-text.js';
import { issuableOfUrl } from './reference-url.js';
import type { IssuableReference, Occurrence } from './reference.js';
import { scanReferences } from './scan-references.js';

/** What a text refers to; each thing once. */
export interface TextReferences {
  /** Names of users and groups in lower case; `all` is everybody in the project. */
  readonly mentions: readonly string[];
  readonly issuables: readonly IssuableReference[];
}

const MENTION = /(?<![\p{L}\p{N}_@/.-])@(?<name>[A-Za-z0-9_.][A-Za-z0-9_.-]{0,254})/gu;

/** PostgreSQL's greatest integer: there are no larger numbers. */
const GREATEST = 2_147_483_647;

/**
 * What Markdown texts refer to outside code, comments and escapes: `@user`, `@group`, `@all`; `#1`,
 * `!1`, `project#1`, `namespace/project#1`, and the addresses of issues and merge requests.
 * @param externalUrl where the web interface of this installation is
 */
export function parseReferences(
  markdown: string | readonly string[],
  externalUrl: string,
): TextReferences {
  const mentions = new Set<string>();
  const issuables = new Map<string, IssuableReference>();
  const add = (reference: IssuableReference | null): void => {
    if (reference !== null) issuables.set(JSON.stringify(reference), reference);
  };
  for (const { text, links } of [markdown].flat().flatMap(readMarkdown)) {
    for (const { groups } of text.matchAll(MENTION)) {
      const name = groups?.['name']?.replace(/\.+$/, '').toLowerCase() ?? '';
      if (name !== '') mentions.add(name);
    }
    for (const found of scanReferences(text, externalUrl)) add(toIssuable(found));
    for (const link of links) add(linked(link, externalUrl));
  }
  return { mentions: [...mentions], issuables: [...issuables.values()] };
}

const WORD =
  /(?<![\p{L}\p{N}_])(?:[Cc]los(?:e[sd]?|ing)|[Ff]ix(?:e[sd]|ing)?|[Rr]esolv(?:e[sd]?|ing)):? +(?:issues? +)?/gu;
const JOINT = /(?:, *(?:and +)?| +and +)/y;

/** The issues that a Markdown text says it closes (open points 5.4); each once. */
export function parseClosings(markdown: string, externalUrl: string): IssuableReference[] {
  const closed = new Map<string, IssuableReference>();
  for (const { text } of readMarkdown(markdown)) {
    const issues = scanReferences(text, externalUrl).filter(({ sign }) => sign === '#');
    const byStart = new Map(issues.map((issue) => [issue.start, issue]));
    for (const word of text.matchAll(WORD)) {
      for (const issue of series(text, word.index + word[0].length, byStart)) {
        closed.set(JSON.stringify(issue), issue);
      }
    }
  }
  return [...closed.values()];
}

/** The references that stand from a place on, joined to each other. */
function* series(
  text: string,
  start: number,
  byStart: ReadonlyMap<number, Occurrence>,
): Generator<IssuableReference> {
  let found = byStart.get(start);
  while (found !== undefined) {
    const issue = toIssuable(found);
    if (issue !== null) yield issue;
    JOINT.lastIndex = found.end;
    const [joint] = JOINT.exec(text) ?? [];
    found = joint === undefined ? undefined : byStart.get(found.end + joint.length);
  }
}

function linked(link: string, externalUrl: string): IssuableReference | null {
  const found = issuableOfUrl(link, externalUrl);
  return found && toIssuable({ ...found, name: found.number });
}

function toIssuable({
  sign,
  project,
  name,
}: Pick<Occurrence, 'sign' | 'project' | 'name'>): IssuableReference | null {
  if (sign !== '#' && sign !== '!') return null;
  const iid = Number(name);
  if (iid > GREATEST) return null;
  return { type: sign === '#' ? 'Issue' : 'MergeRequest', project, iid };
}
