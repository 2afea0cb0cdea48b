import { V4 } from '../../../faces/index.js';
import {
  type ErrorAnswer,
  provideOtherAnswers,
  withError,
  withMessage,
} from '../../../platform/http/index.js';
import type {
  ApplicationKind,
  BranchProblem,
  CommitProblem,
  FileActionProblem,
  FileProblem,
  TagProblem,
} from '../shared/refusals.js';

const BRANCH_REFUSED: Readonly<Record<BranchProblem, ErrorAnswer>> = {
  exists: withMessage(400, 'Branch already exists'),
  'invalid-name': withMessage(400, 'Branch name is invalid'),
  'invalid-start': withMessage(400, 'Invalid reference name'),
  'is-default': withMessage(405, 'Cannot remove HEAD branch'),
  missing: withMessage(404, '404 Branch Not Found'),
  protected: withMessage(405, 'Protected branch cant be removed'),
};

const COMMIT_REFUSED: Readonly<Record<CommitProblem, ErrorAnswer>> = {
  'branch-exists': withMessage(
    400,
    'The branch already exists. Switch to that branch in order to make changes',
  ),
  'invalid-branch-name': withMessage(400, 'Invalid branch name'),
  'no-files': withMessage(400, "A file with this name doesn't exist"),
  'no-such-branch': withMessage(400, 'You can only create or edit files when you are on a branch'),
  'push-not-allowed': withMessage(
    403,
    '403 Forbidden - You are not allowed to push into this branch',
  ),
};

const DONE_ALREADY: Readonly<Record<ApplicationKind, string>> = {
  'cherry-pick': 'been cherry-picked',
  revert: 'been reverted',
};

const applicationText = (kind: ApplicationKind): string =>
  `Sorry, we cannot ${kind} this commit automatically. It may have already ${DONE_ALREADY[kind]}, ` +
  'or a more recent commit may have updated some of its content.';

const EXISTS = withMessage(400, 'A file with this name already exists');
const MISSING = withMessage(400, "A file with this name doesn't exist");

const FILE_REFUSED: Readonly<Record<FileProblem, ErrorAnswer>> = {
  changed: withMessage(
    400,
    'You are attempting to update a file that has changed since you started editing it.',
  ),
  exists: EXISTS,
  missing: MISSING,
  'not-base64': withMessage(400, 'content is not valid base64'),
};

function fileActionAnswer(problem: FileActionProblem): ErrorAnswer {
  switch (problem.reason) {
    case 'content-missing':
      return withError(400, `actions[${String(problem.index)}][content] is missing`);
    case 'destination-exists':
    case 'exists':
      return EXISTS;
    case 'missing':
      return MISSING;
    case 'path-missing':
      return withMessage(400, 'You must provide a file path');
    case 'previous-path-missing':
      return withMessage(400, 'You must provide the previous path of a file that is moved');
    case 'too-many-changes':
      return withMessage(400, 'There are too many changes for one commit.');
    case 'unknown-action':
      return withError(400, 'actions[action] does not have a valid value');
  }
}

function tagAnswer(problem: TagProblem): ErrorAnswer {
  switch (problem.reason) {
    case 'exists':
      return withMessage(400, `Tag ${problem.name} already exists`);
    case 'invalid-name':
      return withMessage(400, 'Tag name invalid');
    case 'invalid-target':
      return withMessage(400, `Target ${problem.target} is invalid`);
    case 'missing':
      return withMessage(404, '404 Tag Not Found');
  }
}

/** What version 4 words otherwise than version 3. */
export const v4RepositoryAnswers = provideOtherAnswers(V4, 'repository', {
  refusals: {
    'branch-refused': ({ reason }) => BRANCH_REFUSED[reason],
    'application-refused': ({ kind, reason }) => ({
      status: 400,
      body: { message: applicationText(kind), error_code: reason },
    }),
    'commit-refused': ({ reason }) => COMMIT_REFUSED[reason],
    'file-action-refused': fileActionAnswer,
    'file-refused': ({ reason }) => FILE_REFUSED[reason],
    'tag-refused': tagAnswer,
    'folder-missing': () => withMessage(404, '404 invalid revision or path Not Found'),
  },
});
