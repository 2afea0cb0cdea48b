import { UserSummaryView } from '../../users/index.js';

/**
 * A note, as the old pair of endpoints tells it
 * (docs/reference/notes.md#get-projectsidmerge_requestsmerge_request_idcomments).
 */
export class OldCommentView {
  note!: string;
  author!: UserSummaryView;
}
