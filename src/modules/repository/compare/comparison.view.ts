import { CommitListItemView } from '../commit.view.js';
import { DiffView } from '../diffs/diff.view.js';

/**
 * What one revision has that another has not
 * (docs/reference/commits.md#get-projectsidrepositorycompare).
 */
export class ComparisonView {
  /** The last of the commits, null without any. */
  commit!: CommitListItemView | null;
  /** The oldest first. */
  commits!: CommitListItemView[];
  diffs!: DiffView[];
  /** Whether commits or files are left out because there are too many. */
  compare_timeout!: boolean;
  /** Whether both names mean the same commit. */
  compare_same_ref!: boolean;
}
