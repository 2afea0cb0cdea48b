import { UserSummaryView } from '../../users/index.js';
import { NoteView } from './note.view.js';
import { PushDataView } from './push-data.view.js';

/** An event of a feed (docs/reference/events.md#the-event-object). */
export class EventView {
  title!: string | null;
  project_id!: number;
  action_name!: string;
  target_id!: number | null;
  target_type!: string | null;
  target_title!: string | null;
  author_id!: number;
  author_username!: string;
  author!: UserSummaryView;
  /** Of pushes only. */
  data!: PushDataView | null;
  created_at!: Date;
  /** Of comments only. */
  note?: NoteView;
}
