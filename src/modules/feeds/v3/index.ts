export { NoteView, presentNote } from './note.view.js';
export { kindOfPush, presentPushedCommit, type PushCommitView } from './push-data.view.js';
