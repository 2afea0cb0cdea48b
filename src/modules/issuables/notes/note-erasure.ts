import { Injectable } from '@nestjs/common';
import { AccountErasure } from '../../users/index.js';
import { NotesRepository } from './notes.repository.js';

const CHUNK = 1_000;

/** Attributes to the ghost the notes that a deleted account wrote (open points 5.15). */
@Injectable()
export class NoteErasure {
  constructor(notes: NotesRepository, erasure: AccountErasure) {
    erasure.register({
      name: 'notes',
      run: async (userId, ghostId) => (await notes.handOver(userId, ghostId, CHUNK)) === CHUNK,
    });
  }
}
