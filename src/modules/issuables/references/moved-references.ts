import {
  REFERENCE_CHARACTERS_PER_TEXT,
  REFERENCES_MADE_FULL_PER_TEXT,
} from '../../../platform/limits/index.js';
import { LONGEST_TEXT } from '../kinds/issuable.rules.js';
import { readMarkdown } from './markdown/markdown-text.js';
import { type ForeignProject, type Occurrence, scanReferences } from './reference.js';

/** The references in a text that a move has expanded with the path of the source project. */
export interface MovedReferences {
  /** The project that the text was moved from. */
  readonly projectId: number;
  /** The inserted text: `crew/tour`, or `crew/` before a project that the text names itself. */
  readonly prefix: string;
  /** Its offsets in the text, ascending, in UTF-16 units. */
  readonly at: readonly number[];
}

/** A text with the references that moves have expanded; null if there are none. */
export interface MovableText {
  readonly text: string;
  readonly moved: readonly MovedReferences[] | null;
}

/** Whether references that come from a project are hidden from the reader. */
export type HidesProject = (projectId: number) => boolean;

interface ExpandedReference {
  readonly projectId: number;
  readonly prefix: string;
  readonly at: number;
}

/** An expanded reference with its offsets in the stored text, and in the text as a reader sees it. */
interface Shown extends ExpandedReference {
  readonly isHidden: boolean;
  /** Offsets of the sign and of the end of the reference. */
  readonly sign: number;
  readonly end: number;
  readonly shownAt: number;
  readonly shownEnd: number;
}

/** The text between an inserted prefix and the sign, and the sign with its name. */
const REFERENCE = /(?<own>[A-Za-z0-9_.-]*)(?<named>[#!~%](?:"[^"\n]{1,255}"|[\p{L}\p{N}_.?&-]*))/uy;
const IN_WORD = /[\p{L}\p{N}_./-]/u;

/**
 * Replaces the inserted prefixes by a backslash before the sign, for a reader who may not see the source project:
 * `crew/tour#7` becomes `\#7`, which shows the author's text and refers to nothing in the new project.
 */
export function hideReferences({ text, moved }: MovableText, hides: HidesProject): string {
  if (moved?.some(({ projectId }) => hides(projectId)) !== true) return text;
  return shownText(text, referencesOf({ text, moved }, hides));
}

/**
 * Applies the edit of a user who has seen the text with hidden references. Unchanged parts keep their references; in
 * changed parts, only references that were expanded before remain expanded.
 *
 * @param hides the references that were hidden from the user
 * @param after the text as the user edited it
 * @param longest most characters that the result may have; if it had more, hidden references are lost
 */
export function followEdit(
  before: MovableText,
  hides: HidesProject,
  after: string,
  longest: number,
): MovableText {
  if (before.moved === null) return { text: after, moved: null };
  const { text } = before;
  const references = referencesOf(before, hides);
  const shown = shownText(text, references);
  if (shown === after) return before;
  const { start, end } = changedRange(shown, after, references);
  const tail = shown.length - end;
  const written = after.slice(start, after.length - tail);
  const [keptTo, keptFrom] = [storedOffset(start, references), storedOffset(end, references)];
  const edited = text.slice(0, keptTo) + written + text.slice(keptFrom);
  if (edited.length > longest) {
    return { text: after, moved: grouped(foundAgain(after, 0, references)) };
  }
  const shift = edited.length - text.length;
  return {
    text: edited,
    moved: grouped([
      ...references.filter(({ at }) => at < keptTo),
      ...foundAgain(
        written,
        keptTo,
        references.filter(({ at }) => at >= keptTo && at < keptFrom),
      ),
      ...references
        .filter(({ at }) => at >= keptFrom)
        .map((reference) => ({ ...reference, at: reference.at + shift })),
    ]),
  };
}

/** Marks the reference to another project that ends a text of the service. */
export function foreignReferences(
  text: string,
  from: ForeignProject | undefined,
): MovableText['moved'] {
  if (from === undefined) return null;
  return [{ ...from, at: [text.lastIndexOf(` ${from.prefix}`) + 1] }];
}

/** Adds the references that another move has expanded. @param added offsets in the new text */
export function withMoved(
  moved: MovableText['moved'],
  projectId: number,
  added: readonly Omit<ExpandedReference, 'projectId'>[],
): MovableText['moved'] {
  const insertions = [...added];
  let shift = 0;
  const kept = ungrouped(moved ?? []).map((reference) => {
    while (insertions[0] !== undefined && insertions[0].at <= reference.at + shift) {
      shift += insertions.shift()?.prefix.length ?? 0;
    }
    return { ...reference, at: reference.at + shift };
  });
  return grouped([...kept, ...added.map((one) => ({ ...one, projectId }))]);
}

function ungrouped(moved: readonly MovedReferences[]): ExpandedReference[] {
  return moved
    .flatMap(({ projectId, prefix, at }) => at.map((one) => ({ projectId, prefix, at: one })))
    .sort((a, b) => a.at - b.at);
}

function grouped(found: readonly ExpandedReference[]): MovableText['moved'] {
  const groups = new Map<string, { projectId: number; prefix: string; at: number[] }>();
  for (const { projectId, prefix, at } of [...found].sort((a, b) => a.at - b.at)) {
    const key = `${String(projectId)} ${prefix}`;
    const group = groups.get(key) ?? { projectId, prefix, at: [] };
    group.at.push(at);
    groups.set(key, group);
  }
  return groups.size === 0 ? null : [...groups.values()];
}

function referencesOf({ text, moved }: MovableText, hides: HidesProject): Shown[] {
  const shown: Shown[] = [];
  let cut = 0;
  for (const reference of ungrouped((moved ?? []).map((group) => located(text, group)))) {
    const { at, prefix } = reference;
    if (at < (shown.at(-1)?.end ?? 0)) continue;
    REFERENCE.lastIndex = at + prefix.length;
    const { own = '', named = '' } = REFERENCE.exec(text)?.groups ?? {};
    const sign = at + prefix.length + own.length;
    const end = sign + named.length;
    const isHidden = hides(reference.projectId);
    const shownAt = at - cut;
    if (isHidden) cut += prefix.length - (named === '' ? 0 : 1);
    shown.push({ ...reference, isHidden, sign, end, shownAt, shownEnd: end - cut });
  }
  return shown;
}

/**
 * Finds the prefixes in a text again if an older version of the service, which does not maintain the offsets, has
 * changed it. Each occurrence of a prefix then counts as inserted.
 */
function located(text: string, group: MovedReferences): MovedReferences {
  const { prefix, at } = group;
  if (at.every((one) => text.startsWith(prefix, one))) return group;
  return { ...group, at: occurrences(text, prefix) };
}

function occurrences(text: string, prefix: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, at + prefix.length)) {
    found.push(at);
  }
  return found;
}

function shownText(text: string, references: readonly Shown[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { isHidden, at, prefix, sign, end } of references) {
    if (!isHidden) continue;
    parts.push(text.slice(done, at), text.slice(at + prefix.length, sign), sign < end ? '\\' : '');
    done = sign;
  }
  return parts.join('') + text.slice(done);
}

/** Returns the changed part of the shown text. References are changed as a whole, or not at all. */
function changedRange(
  shown: string,
  after: string,
  references: readonly Shown[],
): { readonly start: number; readonly end: number } {
  const most = Math.min(shown.length, after.length);
  let start = 0;
  while (start < most && shown[start] === after[start]) start += 1;
  let tail = 0;
  while (tail < most - start && shown[shown.length - 1 - tail] === after[after.length - 1 - tail]) {
    tail += 1;
  }
  let end = shown.length - tail;
  for (const { shownAt, shownEnd } of references) {
    const isProlonged = start === shownEnd && IN_WORD.test(after[start] ?? '');
    if (shownAt < start && (start < shownEnd || isProlonged)) start = shownAt;
    const isPrefixed = end === shownAt && IN_WORD.test(after[after.length - tail - 1] ?? '');
    if (end < shownEnd && (shownAt < end || isPrefixed)) end = shownEnd;
  }
  return { start, end: Math.max(start, end) };
}

/** Converts an offset in the shown text, which is not within a reference, to one in the stored text. */
function storedOffset(offset: number, references: readonly Shown[]): number {
  const before = references.filter(({ shownEnd }) => shownEnd <= offset).at(-1);
  return before === undefined ? offset : before.end + (offset - before.shownEnd);
}

/** Finds the visible ones of some references again, as far as a text has as many of their prefixes. */
function foundAgain(
  text: string,
  offset: number,
  references: readonly Shown[],
): ExpandedReference[] {
  const visible = grouped(references.filter(({ isHidden }) => !isHidden)) ?? [];
  const taken = new Set<number>();
  // `crew/tour` before `crew/`, which also stands where the first one does.
  const longestFirst = [...visible].sort((a, b) => b.prefix.length - a.prefix.length);
  return longestFirst.flatMap(({ projectId, prefix, at: former }) => {
    const free = occurrences(text, prefix).filter((at) => !taken.has(at));
    const found = free.slice(0, former.length);
    for (const at of found) taken.add(at);
    return found.map((at) => ({ projectId, prefix, at: at + offset }));
  });
}

interface PlacedProject {
  readonly namespacePath: string;
  readonly path: string;
}

interface ExpandedText {
  readonly text: string;
  /** The inserted prefixes with their offsets in the new text, ascending. */
  readonly added: readonly { readonly prefix: string; readonly at: number }[];
}

/**
 * Rewrites the references of a Markdown text that moves to another project, so that they go on meaning
 * the same objects (docs/reference/issues.md#moving): `#7` becomes `namespace/project#7`, and so do `!4`, labels and
 * milestones. Full references stay unchanged, and so do code, comments, texts of links, everything after the first
 * `REFERENCE_CHARACTERS_PER_TEXT`, and references that would make the text too long.
 *
 * @param most references that are rewritten; further ones stay
 */
export function expandReferences(
  text: string,
  from: PlacedProject,
  to: PlacedProject,
  most: number = REFERENCES_MADE_FULL_PER_TEXT,
): ExpandedText {
  const isSame = from.namespacePath === to.namespacePath && from.path === to.path;
  if (isSame) return { text, added: [] };
  const parts: string[] = [];
  const added: { prefix: string; at: number }[] = [];
  let done = 0;
  let length = text.length;
  for (const block of readMarkdown(text.slice(0, REFERENCE_CHARACTERS_PER_TEXT))) {
    for (const found of scanReferences(block.text, NOWHERE)) {
      const at = block.locate(found.start);
      const prefix = prefixFor(found, from);
      if (at < done || prefix === '') continue;
      if (added.length >= most || length + prefix.length > LONGEST_TEXT) break;
      added.push({ prefix, at: at + length - text.length });
      length += prefix.length;
      parts.push(text.slice(done, at), prefix);
      done = at;
    }
  }
  return { text: parts.join('') + text.slice(done), added };
}

/** Addresses stay as they are: none is to be found. */
const NOWHERE = 'nowhere:';

function prefixFor({ project, sign, name }: Occurrence, from: PlacedProject): string {
  // `~5 minutes` and `%20` are more likely prose than a label or milestone of nothing but digits.
  if ((sign === '~' || sign === '%') && /^\d+$/.test(name)) return '';
  if (project === null) return `${from.namespacePath}/${from.path}`;
  // `a~b` and `5%2` are more likely prose than a label or milestone of a neighbour.
  const names = project.namespace === null && (sign === '#' || sign === '!');
  return names ? `${from.namespacePath}/` : '';
}
