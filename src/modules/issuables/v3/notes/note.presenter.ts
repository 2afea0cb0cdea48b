import type { Urls } from '../../../../platform/config/index.js';
import { type NoteView, presentNote } from '../../../feeds/v3/index.js';
import { summarizeUser } from '../../../users/v3/index.js';
import type { AuthoredNote } from '../../notes/notes.repository.js';
import { toTargetNote } from '../../notes/target-sources.js';

/** Presents a note on an issue or merge request. */
export const presentAuthoredNote = ({ note, author }: AuthoredNote, urls: Urls): NoteView =>
  presentNote(toTargetNote(note), summarizeUser(author, urls));
