import { UserSummaryView } from '../../../users/index.js';

/** A comment on a commit (docs/reference/commits.md#post-projectsidrepositorycommitsshacomments). */
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
