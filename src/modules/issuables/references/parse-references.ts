import { runPaced } from '../../../platform/async/index.js';
import { MAX_ID } from '../../../platform/database/index.js';
import { readMarkdown } from './markdown/markdown-text.js';
import {
  endOfUrl,
  issuableOfUrl,
  type IssuableReference,
  type Occurrence,
  scanMentions,
  scanReferences,
} from './scan-references.js';

/** Characters (UTF-16 units) of one text that are read for mentions and references. */
export const REFERENCE_CHARACTERS_PER_TEXT = 100_000;

/** The same of all texts that one request, push or job reads: commit messages, notes that move. */
export const REFERENCE_CHARACTERS_PER_REQUEST = 1_000_000;

/** So many characters are read in one step, before other work of the process has its turn: 50 ms at worst. */
const REFERENCE_CHARACTERS_PER_STEP = 100_000;

/** Texts of up to so many characters together are read without waiting for the steps of longer ones. */
const REFERENCE_CHARACTERS_AT_ONCE = 5_000;

/** The distinct references in a text. */
export interface TextReferences {
  /** Names of users and groups in lower case; `all` stands for all members of the project. */
  readonly mentions: readonly string[];
  readonly issuables: readonly IssuableReference[];
  /** The issues among them that it closes. */
  readonly closings: readonly IssuableReference[];
}

const WORD =
  /(?<![\p{L}\p{N}_])(?:[Cc]los(?:e[sd]?|ing)|[Ff]ix(?:e[sd]|ing)?|[Rr]esolv(?:e[sd]?|ing)):? +(?:issues? +)?/gu;
const JOINT = /(?:, *(?:and +)?| +and +)/y;

/** Part of every mention and of every reference that is no URL. */
const SIGN = /[#!@]/;
const CLOSING_WORD = /clos|fix|resolv/i;

/**
 * Whether a text may close an issue, without parsing its Markdown. A text for which it is false closes none.
 */
export function mayClose(text: string, externalUrl: string): boolean {
  const head = text.slice(0, REFERENCE_CHARACTERS_PER_TEXT);
  return CLOSING_WORD.test(head) && (head.includes('#') || head.includes(externalUrl));
}

/**
 * Parses the references in Markdown texts, outside of code, comments and escapes: `@user`, `@group`, `@all`; `#1`,
 * `!1`, `project#1`, `namespace/project#1`, and the addresses of issues and merge requests. Each text is
 * read to `REFERENCE_CHARACTERS_PER_TEXT`; the cost is linear in its length.
 * @param externalUrl the address of this installation's web interface
 */
export function parseReferences(
  markdown: string | readonly string[],
  externalUrl: string,
): TextReferences {
  const mentions = new Set<string>();
  const issuables = new References();
  const closings = new References();
  for (const whole of [markdown].flat()) {
    const source = whole.slice(0, REFERENCE_CHARACTERS_PER_TEXT);
    if (!SIGN.test(source) && !source.includes(externalUrl)) continue;
    for (const { text, links } of readMarkdown(source)) {
      for (const { name } of scanMentions(text)) mentions.add(name.toLowerCase());
      const found = scanReferences(text, externalUrl);
      for (const one of found) issuables.add(toIssuable(one));
      for (const link of links) issuables.add(linked(link, externalUrl));
      for (const issue of closedIn(text, found)) closings.add(issue);
    }
  }
  return { mentions: [...mentions], issuables: issuables.all, closings: closings.all };
}

const NO_REFERENCES: TextReferences = { mentions: [], issuables: [], closings: [] };

/**
 * Parses the references in each of the texts. The first texts are parsed until the budget of a request is used up;
 * the others have none. Long texts are parsed in paced steps.
 * @param externalUrl the address of this installation's web interface
 */
export async function readReferences(
  texts: readonly string[],
  externalUrl: string,
): Promise<TextReferences[]> {
  const parse = (some: readonly string[]): TextReferences[] =>
    some.map((text) => parseReferences(text, externalUrl));
  const [first = [], ...others] = stepsOf(texts);
  if (others.length === 0 && charactersOf(first) <= REFERENCE_CHARACTERS_AT_ONCE) {
    const read = parse(first);
    return texts.map((_, index) => read[index] ?? NO_REFERENCES);
  }
  const read: TextReferences[] = [];
  for (const step of [first, ...others]) read.push(...(await runPaced(() => parse(step))));
  return texts.map((_, index) => read[index] ?? NO_REFERENCES);
}

/** References, each once, in the order in which they were found. */
class References {
  private readonly found = new Map<string, IssuableReference>();

  add(reference: IssuableReference | null): void {
    if (reference !== null) this.found.set(keyOf(reference), reference);
  }

  get all(): IssuableReference[] {
    return [...this.found.values()];
  }
}

const keyOf = ({ type, project, iid }: IssuableReference): string =>
  `${type} ${project?.namespace ?? ''}/${project?.path ?? ''} ${String(iid)}`;

/** Yields the issues that a text without markup closes. */
function* closedIn(text: string, found: readonly Occurrence[]): Generator<IssuableReference> {
  const issues = found.filter(({ sign }) => sign === '#');
  if (issues.length === 0) return;
  const byStart = new Map(issues.map((issue) => [issue.start, issue]));
  for (const word of text.matchAll(WORD)) {
    yield* series(text, word.index + word[0].length, byStart);
  }
}

/** Yields the issues of an enumeration that begins at an offset. Other addresses may be part of it. */
function* series(
  text: string,
  start: number,
  byStart: ReadonlyMap<number, Occurrence>,
): Generator<IssuableReference> {
  for (let at = start; ;) {
    const found = byStart.get(at);
    const issue = found === undefined ? null : toIssuable(found);
    if (issue !== null) yield issue;
    const end = found?.end ?? endOfUrl(text, at);
    if (end === undefined) return;
    JOINT.lastIndex = end;
    if (!JOINT.test(text)) return;
    at = JOINT.lastIndex;
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
  if (iid > MAX_ID) return null;
  return { type: sign === '#' ? 'Issue' : 'MergeRequest', project, iid };
}

/** Divides the texts within the budget into steps. */
function stepsOf(texts: readonly string[]): string[][] {
  const steps: string[][] = [];
  let step: string[] = [];
  let left = REFERENCE_CHARACTERS_PER_REQUEST;
  let characters = 0;
  for (const text of texts) {
    const length = Math.min(text.length, REFERENCE_CHARACTERS_PER_TEXT);
    left -= length;
    if (left < 0) break;
    characters += length;
    if (steps.length === 0 || characters > REFERENCE_CHARACTERS_PER_STEP) {
      step = [];
      steps.push(step);
      characters = length;
    }
    step.push(text);
  }
  return steps;
}

const charactersOf = (texts: readonly string[]): number =>
  texts.reduce((sum, { length }) => sum + length, 0);
