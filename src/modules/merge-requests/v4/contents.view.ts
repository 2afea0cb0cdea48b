import { V4DiffView } from '../../repository/v4/index.js';
import { V4SingleMergeRequestView } from './merge-request.view.js';

/** A merge request with the changes of its newest version. */
export class V4ChangedMergeRequestView extends V4SingleMergeRequestView {
  /** At most 1,000 files or 50,000 lines. */
  changes!: V4DiffView[];
  /** Whether some changes are left out. */
  overflow!: boolean;
}
