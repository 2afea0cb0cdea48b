import { Injectable } from '@nestjs/common';
import { type NoteView, presentNote, type TargetNote } from '../../projects/index.js';
import { UserPresenter } from '../../users/index.js';
import type { Note } from './note.entity.js';
import type { AuthoredNote } from './notes.service.js';

@Injectable()
export class NotePresenter {
  constructor(private readonly users: UserPresenter) {}

  present({ note, author }: AuthoredNote): NoteView {
    return presentNote(toldNote(note), this.users.summary(author));
  }
}

/** A note, as clients and feeds are told of it. */
export const toldNote = (note: Note): TargetNote => ({
  id: note.id,
  body: note.body,
  authorId: note.authorId,
  createdAt: note.createdAt,
  updatedAt: note.updatedAt,
  system: note.system,
  noteableId: note.noteableId,
  noteableType: note.noteableType,
});
