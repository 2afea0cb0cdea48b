import { UserSummaryView } from '../../users/index.js';

/** A comment on a commit (specification 2.8; open points 3.2). */
export class CommitCommentView {
  note!: string;
  /** Null, like the next two, for a comment on the commit as a whole. */
  path!: string | null;
  line!: number | null;
  /** `new` or `old`. */
  line_type!: string | null;
  author!: UserSummaryView;
  created_at!: Date;
}
