import type { Urls } from '../../../platform/urls/index.js';
import { type NoteView, presentNote, type TargetNote } from '../../projects/index.js';
import { summarizeUser } from '../../users/index.js';
import type { Note } from './note.entity.js';
import type { AuthoredNote } from './notes.service.js';

/** Presents a note on an issue or merge request. */
export const presentAuthoredNote = ({ note, author }: AuthoredNote, urls: Urls): NoteView =>
  presentNote(toTargetNote(note), summarizeUser(author, urls));

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
});
