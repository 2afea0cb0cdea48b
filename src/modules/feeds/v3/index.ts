export { NoteView, presentNote } from './note.view.js';
export {
  checkoutSha,
  kindOfPush,
  presentPushedCommit,
  type PushCommitView,
} from './push-data.view.js';
