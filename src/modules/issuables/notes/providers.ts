import { Comment } from './comment.js';
import { NoteOrigins } from './note-origins.js';
import { NoteOutcome } from './note-outcome.js';
import { NotePresenter } from './note.presenter.js';
import { NotesRepository } from './notes.repository.js';
import { NotesService } from './notes.service.js';
import { SystemNotes } from './system-notes.js';
import { WriteNotes } from './write-notes.js';

/** Notes on issues and merge requests. */
export const NOTE_PROVIDERS = [
  Comment,
  NoteOrigins,
  NoteOutcome,
  NotePresenter,
  NotesRepository,
  NotesService,
  SystemNotes,
  WriteNotes,
];
