import { MergeRequestNotesController } from './merge-request-notes.controller.js';
import { OldCommentsController } from './old-comments.controller.js';

export const NOTE_CONTROLLERS = [MergeRequestNotesController, OldCommentsController];
