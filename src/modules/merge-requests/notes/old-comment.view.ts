import { UserSummaryView } from '../../users/index.js';

/** A note, as the old pair of endpoints tells it (open points 3.2). */
export class OldCommentView {
  note!: string;
  author!: UserSummaryView;
}
