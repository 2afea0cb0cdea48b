import { BriefProjectView } from '../../projects/index.js';
import { UserSummaryView } from '../../users/index.js';

/** Something that waits for the caller (docs/reference/todos.md#the-todo-object). */
export class TodoView {
  id!: number;
  project!: BriefProjectView;
  /** Who caused it. */
  author!: UserSummaryView;
  /** `assigned`, `mentioned`, `build_failed` or `marked`. */
  action_name!: string;
  /** `Issue` or `MergeRequest`. */
  target_type!: string;
  /** The issue or merge request, as its own endpoint answers it. */
  target!: object;
  /** In the web interface, at the note where one caused it. */
  target_url!: string;
  /** The note's text, else the target's title. */
  body!: string;
  /** `pending` or `done`. */
  state!: string;
  created_at!: Date;
}
