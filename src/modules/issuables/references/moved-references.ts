/** Where a move has put the path of the source project before references in a text. */
export interface MovedReferences {
  /** The project that the text was moved from. */
  readonly projectId: number;
  /** What was put there: `crew/tour`, or `crew/` before a project that the text names itself. */
  readonly prefix: string;
  /** Where it stands in the text, in order; UTF-16 units. */
  readonly at: readonly number[];
}

/** A text with the references that moves made full; null is none. */
export interface MovableText {
  readonly text: string;
  readonly moved: readonly MovedReferences[] | null;
}

/** Whether references that come from a project are hidden from the reader. */
export type HidesProject = (projectId: number) => boolean;

interface Place {
  readonly projectId: number;
  readonly prefix: string;
  readonly at: number;
}

/** A reference that a move made full: offsets in the stored text, and in the text as a reader sees it. */
interface Shown extends Place {
  readonly isHidden: boolean;
  /** Where the sign stands, and where the reference ends. */
  readonly sign: number;
  readonly end: number;
  readonly shownAt: number;
  readonly shownEnd: number;
}

/** What stands between an added path and the sign, and the sign with what it names. */
const REFERENCE = /(?<own>[A-Za-z0-9_.-]*)(?<named>[#!~%](?:"[^"\n]{1,255}"|[\p{L}\p{N}_.?&-]*))/uy;
const IN_WORD = /[\p{L}\p{N}_./-]/u;

/**
 * Replaces what moves put before references by a backslash before their sign, for a reader who may not
 * know of the source project: `crew/tour#7` becomes `\#7`, which shows what the author wrote and refers to
 * nothing in the new project.
 */
export function hideReferences({ text, moved }: MovableText, hides: HidesProject): string {
  if (moved?.some(({ projectId }) => hides(projectId)) !== true) return text;
  return shownText(text, referencesOf({ text, moved }, hides));
}

/**
 * A text that a user changes who has seen it with hidden references. What the user left as it was is kept
 * with its references; of what they wrote, only what was a moved reference before remains one.
 *
 * @param hides what was hidden from the user
 * @param after the text as the user wants it
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

/** The references of a text into which a move has put further ones. @param added offsets in the new text */
export function withMoved(
  moved: MovableText['moved'],
  projectId: number,
  added: readonly Omit<Place, 'projectId'>[],
): MovableText['moved'] {
  const insertions = [...added];
  let shift = 0;
  const kept = places(moved ?? []).map((place) => {
    while (insertions[0] !== undefined && insertions[0].at <= place.at + shift) {
      shift += insertions.shift()?.prefix.length ?? 0;
    }
    return { ...place, at: place.at + shift };
  });
  return grouped([...kept, ...added.map((one) => ({ ...one, projectId }))]);
}

function places(moved: readonly MovedReferences[]): Place[] {
  return moved
    .flatMap(({ projectId, prefix, at }) => at.map((one) => ({ projectId, prefix, at: one })))
    .sort((a, b) => a.at - b.at);
}

function grouped(found: readonly Place[]): MovableText['moved'] {
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
  for (const place of places((moved ?? []).map((group) => located(text, group)))) {
    const { at, prefix } = place;
    if (at < (shown.at(-1)?.end ?? 0)) continue;
    REFERENCE.lastIndex = at + prefix.length;
    const { own = '', named = '' } = REFERENCE.exec(text)?.groups ?? {};
    const sign = at + prefix.length + own.length;
    const end = sign + named.length;
    const isHidden = hides(place.projectId);
    const shownAt = at - cut;
    if (isHidden) cut += prefix.length - (named === '' ? 0 : 1);
    shown.push({ ...place, isHidden, sign, end, shownAt, shownEnd: end - cut });
  }
  return shown;
}

/**
 * A text that was changed by a version of the service that knows nothing of its references has the path
 * elsewhere: it is then taken to come from the move wherever it stands.
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

/** The part of the shown text that was changed. References are changed as a whole, or not at all. */
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

/** Where an offset in the shown text, which is not within a reference, stands in the stored one. */
function storedOffset(offset: number, references: readonly Shown[]): number {
  const before = references.filter(({ shownEnd }) => shownEnd <= offset).at(-1);
  return before === undefined ? offset : before.end + (offset - before.shownEnd);
}

/** The visible ones of some references, as far as a text still has as many of their paths. */
function foundAgain(text: string, offset: number, references: readonly Shown[]): Place[] {
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
