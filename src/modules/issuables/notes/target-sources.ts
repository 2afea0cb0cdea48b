import type { EventTarget, EventVisibility, TargetNote, TargetSource } from '../../feeds/index.js';
import type { IssuableType } from '../model/issuable.js';
import type { TitledIssuable } from '../model/issuables.repository.js';
import { isResolvable } from './discussion.js';
import type { Note } from './note.entity.js';
import { noteTarget } from './note.events.js';
import type { NotesRepository } from './notes.repository.js';

/** Returns the fields of a note that responses and feeds show. */
export const toTargetNote = (note: Note): TargetNote => ({
  id: note.id,
  body: note.body,
  authorId: note.authorId,
  createdAt: note.createdAt,
  updatedAt: note.updatedAt,
  system: note.system,
  noteableId: note.noteableId,
  noteableType: note.noteableType,
  type: note.type,
  resolvable: isResolvable(note),
});

/** How the feeds show issues, or merge requests, and the notes on them. */
interface ShownIssuables {
  readonly type: IssuableType;
  /** Returns the titles and numbers of those that are not deleted, by ID, with one statement. */
  readonly titlesOf: (ids: readonly number[]) => Promise<ReadonlyMap<number, TitledIssuable>>;
  /** The events on them that readers may see. */
  readonly visibility: EventVisibility;
  /** The events on their notes that readers may see. */
  readonly noteVisibility: EventVisibility;
}

/** Describes issues, or merge requests, and the notes on them for the feeds. */
export function issuableTargetSources(
  notes: NotesRepository,
  { type, visibility, noteVisibility, titlesOf }: ShownIssuables,
): TargetSource[] {
  return [
    {
      type,
      shownAs: type,
      visibility,
      load: titlesOf,
    },
    {
      type: noteTarget(type),
      shownAs: 'Note',
      visibility: noteVisibility,
      load: async (ids) => describeNotes(await notes.findByIds(ids), titlesOf),
      sizesOf: (ids) => notes.sizesOf(ids),
    },
  ];
}

/** Leaves out the notes on deleted issuables. */
async function describeNotes(
  notes: readonly Note[],
  titlesOf: ShownIssuables['titlesOf'],
): Promise<Map<number, EventTarget>> {
  const titles = await titlesOf(notes.map(({ noteableId }) => noteableId));
  const existing = notes.filter(({ noteableId }) => titles.has(noteableId));
  return new Map(
    existing.map((note) => {
      const { iid, title } = titles.get(note.noteableId) as TitledIssuable;
      return [note.id, { iid, title, note: toTargetNote(note) }];
    }),
  );
}
