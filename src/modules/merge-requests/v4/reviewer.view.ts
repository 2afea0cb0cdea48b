import { V4UserBasicView } from '../../users/v4/index.js';

/** A reviewer of a merge request. */
export class V4ReviewerView {
  user!: V4UserBasicView;
  /** Always `unreviewed`: reviews are not recorded. */
  state!: string;
  /** When the review was requested; of a reviewer who got no to-do item for it, when the merge request was created. */
  created_at!: Date;
}
