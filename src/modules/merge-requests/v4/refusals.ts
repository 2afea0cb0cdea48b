import { V4 } from '../../../faces/index.js';
import { provideOtherAnswers, withMessage } from '../../../platform/http/index.js';
import type { BranchPairProblem, MergeObstacle } from '../model/refusals.js';
import type { ErrorAnswer } from '../../../platform/http/index.js';

const NOT_ALLOWED = withMessage(405, '405 Method Not Allowed');
const CANNOT_BE_MERGED = withMessage(422, 'Branch cannot be merged');

const MERGE_REFUSED: Readonly<Record<MergeObstacle, ErrorAnswer>> = {
  'awaits-build': NOT_ALLOWED,
  changed: withMessage(409, '409 Conflict'),
  'discussions-unresolved': NOT_ALLOWED,
  'needs-rebase': CANNOT_BE_MERGED,
  'not-approved': NOT_ALLOWED,
  'not-mergeable': CANNOT_BE_MERGED,
  'not-open': NOT_ALLOWED,
  'not-permitted': withMessage(401, '401 Unauthorized'),
  'squash-forbidden': withMessage(405, 'Squashing is not allowed in this project'),
  'work-in-progress': NOT_ALLOWED,
};

const BRANCH_PAIR_REFUSED: Readonly<Record<BranchPairProblem, string>> = {
  'same-branch': "You can't use same project/branch for source and target",
  'unrelated-projects': 'Source project is not a fork of the target project',
};

/** What version 4 words otherwise than version 3. */
export const v4MergeRequestAnswers = provideOtherAnswers(V4, 'merge-requests', {
  refusals: {
    'merge-refused': ({ reason }) => MERGE_REFUSED[reason],
    'branch-pair-refused': ({ reason }) => withMessage(422, [BRANCH_PAIR_REFUSED[reason]]),
    'merge-request-exists': ({ iid }) =>
      withMessage(409, [
        `Another open merge request already exists for this source branch: !${String(iid)}`,
      ]),
  },
});
