export { NoteView, presentNote } from './note.view.js';
export { checkoutSha } from './push-data.view.js';
