import { V3 } from '../../../faces/index.js';
import {
  type ErrorAnswer,
  provideAnswers,
  withError,
  withMessage,
} from '../../../platform/http/index.js';
import type {
  ApprovalObstacle,
  BranchPairProblem,
  CancelObstacle,
  MergeObstacle,
  RebaseObstacle,
} from '../model/refusals.js';

const CONFLICT = withMessage(409, '409 Conflict');
const UNAUTHORIZED = withMessage(401, '401 Unauthorized');
const NOT_ALLOWED = withMessage(405, '405 Method Not Allowed');
const CANNOT_BE_MERGED = withMessage(405, 'Branch cannot be merged');

const MERGE_REFUSED: Readonly<Record<MergeObstacle, ErrorAnswer>> = {
  'awaits-build': NOT_ALLOWED,
  changed: CONFLICT,
  'discussions-unresolved': NOT_ALLOWED,
  'needs-rebase': CANNOT_BE_MERGED,
  'not-approved': NOT_ALLOWED,
  'not-mergeable': CANNOT_BE_MERGED,
  'not-open': withMessage(406, 'Method Not Allowed'),
  'not-permitted': UNAUTHORIZED,
  'squash-forbidden': NOT_ALLOWED,
  'work-in-progress': NOT_ALLOWED,
};

const CANCEL_REFUSED: Readonly<Record<CancelObstacle, ErrorAnswer>> = {
  'not-open': NOT_ALLOWED,
  'not-permitted': UNAUTHORIZED,
  'not-waiting': withMessage(406, "Can't cancel the automatic merge"),
};

const REBASE_REFUSED: Readonly<Record<RebaseObstacle, ErrorAnswer>> = {
  'in-progress': CONFLICT,
  'not-open': CONFLICT,
  'not-permitted': withMessage(403, '403 Forbidden - Cannot push to source branch'),
  protected: withMessage(403, '403 Forbidden - Source branch is protected from force push'),
  'source-missing': withMessage(403, '403 Forbidden - Source branch does not exist'),
};

const APPROVAL_REFUSED: Readonly<Record<ApprovalObstacle, ErrorAnswer>> = {
  'approved-already': UNAUTHORIZED,
  'nothing-to-withdraw': withMessage(404, '404 Not Found'),
  'not-permitted': UNAUTHORIZED,
};

const BRANCH_PAIR_REFUSED: Readonly<Record<BranchPairProblem, string>> = {
  'same-branch': 'You can not use same project/branch for source and target',
  'unrelated-projects': 'Source project is not a fork of the target project',
};

/** What the room refuses, in the words of version 3 (docs/reference/errors.md). */
export const mergeRequestAnswers = provideAnswers(V3, 'merge-requests', {
  refusals: {
    'merge-refused': ({ reason }) => MERGE_REFUSED[reason],
    'other-head': ({ headSha }) =>
      withMessage(409, `SHA does not match HEAD of source branch: ${headSha ?? ''}`),
    'cancel-refused': ({ reason }) => CANCEL_REFUSED[reason],
    'rebase-refused': ({ reason }) => REBASE_REFUSED[reason],
    'merge-ref-refused': () => withMessage(400, 'Merge request is not mergeable'),
    'approval-refused': ({ reason }) => APPROVAL_REFUSED[reason],
    'branch-pair-refused': ({ reason }) => withError(422, [BRANCH_PAIR_REFUSED[reason]]),
    'merge-request-exists': ({ title }) => {
      const named = JSON.stringify([title]);
      return withMessage(409, [`Cannot Create: This merge request already exists: ${named}`]);
    },
  },
});
