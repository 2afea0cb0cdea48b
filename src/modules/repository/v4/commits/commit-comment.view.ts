import { V4UserBasicView } from '../../../users/v4/index.js';

/** A comment on a commit. */
export class V4CommitCommentView {
  note!: string;
  /** Null, like the next two, for a comment on the commit as a whole. */
  path!: string | null;
  line!: number | null;
  /** `new` or `old`. */
  line_type!: string | null;
  author!: V4UserBasicView;
  created_at!: Date;
}
