import { V3 } from '../../../faces/index.js';
import {
  type ErrorAnswer,
  provideAnswers,
  withError,
  withMessage,
} from '../../../platform/http/index.js';
import type {
  BranchProblem,
  ChangelogProblem,
  CommitProblem,
  FileActionProblem,
  FileProblem,
  PathProblem,
  RefProblem,
  ReleaseProblem,
  SubmoduleProblem,
  TagProblem,
} from '../shared/refusals.js';

const INVALID_BRANCH_NAME = withMessage(400, 'Branch name is invalid');

const BRANCH_REFUSED: Readonly<Record<BranchProblem, ErrorAnswer>> = {
  exists: withMessage(400, 'Branch already exists'),
  'invalid-name': INVALID_BRANCH_NAME,
  'invalid-start': withMessage(400, 'Invalid reference name'),
  'is-default': withMessage(405, 'Cannot remove HEAD branch'),
  missing: withMessage(404, 'No such branch'),
  protected: withMessage(405, 'Protected branch cant be removed'),
};

const RELEASE_REFUSED: Readonly<Record<ReleaseProblem, ErrorAnswer>> = {
  exists: withMessage(409, 'Release already exists'),
  missing: withMessage(404, 'Release does not exist'),
  'ref-missing': withMessage(422, 'Ref is not specified'),
  'tag-missing': withMessage(404, 'Tag does not exist'),
};

const COMMIT_REFUSED: Readonly<Record<CommitProblem, ErrorAnswer>> = {
  'branch-exists': withMessage(400, 'Branch already exists'),
  'invalid-branch-name': INVALID_BRANCH_NAME,
  'no-files': withMessage(400, 'No files to update.'),
  'no-such-branch': withMessage(400, 'You can only create or edit files when you are on a branch'),
  'push-not-allowed': withMessage(400, 'You are not allowed to push into this branch'),
};

const CANNOT_CHERRY_PICK = withMessage(
  400,
  'Sorry, we cannot cherry-pick this commit automatically. It may have already been cherry-picked, ' +
    'or a more recent commit may have updated some of its content.',
);

const FILE_REFUSED: Readonly<Record<FileProblem, string>> = {
  changed: 'You are attempting to update a file that has changed since you started editing it.',
  exists: 'Your changes could not be committed because a file with the same name already exists',
  missing: 'File not found',
  'not-base64': 'content is not valid base64',
};

const PATH_REFUSED: Readonly<Record<PathProblem, string>> = {
  'too-long': 'is too long.',
  traversal: 'cannot include directory traversal.',
  unwritable: `can contain only letters, digits, '_', '-', '@' and '.'. Separate directories with a '/'.`,
};

const PUSH_REFUSED: Readonly<Record<RefProblem, string>> = {
  'hash-as-name': 'The name of a branch or tag cannot have the form of a hash.',
  'invalid-name': 'The name of a branch or tag cannot be HEAD and cannot begin with "-".',
  'no-push-access': 'You are not allowed to push code to this project.',
  protected: 'You are not allowed to push code to protected branches on this project.',
  'protected-deleted': 'You are not allowed to delete protected branches from this project.',
  'protected-forced':
    'You are not allowed to force push code to a protected branch on this project.',
  'tag-exists': 'You are not allowed to change existing tags on this project.',
};

const DONE = { chmod: 'changed', delete: 'deleted', move: 'moved', update: 'updated' } as const;

const VIA = { pending: 'enqueue', running: 'run' } as const;

function tagAnswer(problem: TagProblem): ErrorAnswer {
  switch (problem.reason) {
    case 'exists':
      return withMessage(400, `Tag ${problem.name} already exists`);
    case 'invalid-name':
      return withMessage(400, 'Tag name invalid');
    case 'invalid-target':
      return withMessage(400, `Target ${problem.target} is invalid`);
    case 'missing':
      return withMessage(404, 'No such tag');
  }
}

function fileActionAnswer(problem: FileActionProblem): ErrorAnswer {
  switch (problem.reason) {
    case 'content-missing':
      return withError(400, `actions[${String(problem.index)}][content] is missing`);
    case 'destination-exists':
      return withMessage(400, `Move destination \`${problem.path}\` already exists.`);
    case 'exists':
      return withMessage(
        400,
        `Your changes could not be committed because a file with the name \`${problem.path}\` already exists.`,
      );
    case 'missing':
      return withMessage(
        400,
        `File to be ${DONE[problem.action]} \`${problem.path}\` does not exist.`,
      );
    case 'path-missing':
      return withMessage(400, 'You must specify a file_path.');
    case 'previous-path-missing':
      return withMessage(
        400,
        `You must supply the original file path when moving file \`${problem.path}\`.`,
      );
    case 'too-many-changes':
      return withMessage(400, 'There are too many changes for one commit.');
    case 'unknown-action':
      return withMessage(400, `Unknown action type \`${problem.action}\`.`);
  }
}

function submoduleAnswer(problem: SubmoduleProblem): ErrorAnswer {
  switch (problem.reason) {
    case 'missing':
      return withMessage(400, 'Invalid submodule path');
    case 'unchanged':
      return withMessage(400, `The submodule ${problem.path} is already at ${problem.target}`);
  }
}

const CHANGELOG = 'Failed to generate the changelog:';

function changelogAnswer(problem: ChangelogProblem): ErrorAnswer {
  switch (problem.reason) {
    case 'earlier-version-missing':
      return withMessage(
        422,
        `${CHANGELOG} The commit start range is unspecified, and no previous tag could be found to use instead`,
      );
    case 'not-a-file':
      return withMessage(422, `${CHANGELOG} There is no text file at the path`);
    case 'revision-missing':
      return withMessage(422, `${CHANGELOG} ${problem.revision} is not a commit`);
    case 'too-many-commits':
      return withMessage(
        422,
        `${CHANGELOG} The maximum number of commits (${String(problem.limit)}) is exceeded`,
      );
    case 'too-many-tags':
      return withMessage(
        422,
        `${CHANGELOG} The commit start range is unspecified, and there are more than ${String(problem.limit)} tags`,
      );
  }
}

/** What the room refuses, in the words of version 3 (docs/reference/errors.md). */
export const repositoryAnswers = provideAnswers(V3, 'repository', {
  refusals: {
    'branch-refused': ({ reason }) => BRANCH_REFUSED[reason],
    'tag-refused': tagAnswer,
    'release-refused': ({ reason }) => RELEASE_REFUSED[reason],
    'push-refused': ({ reason }) => withMessage(403, `403 Forbidden - ${PUSH_REFUSED[reason]}`),
    'commit-refused': ({ reason }) => COMMIT_REFUSED[reason],
    'application-refused': () => CANNOT_CHERRY_PICK,
    'file-refused': ({ reason }) => withMessage(400, FILE_REFUSED[reason]),
    'path-refused': ({ reason }) =>
      withMessage(
        400,
        `Your changes could not be committed, because the file name ${PATH_REFUSED[reason]}`,
      ),
    'file-action-refused': fileActionAnswer,
    'submodule-refused': submoduleAnswer,
    'changelog-refused': changelogAnswer,
    'objects-refused': ({ gitReason }) =>
      withMessage(
        400,
        `Your changes could not be committed, because Git refuses them: ${gitReason}`,
      ),
    'too-many-protected-branches': ({ limit }) =>
      withMessage(400, `Maximum number of protected branches (${String(limit)}) exceeded`),
    'too-many-statuses': ({ limit }) =>
      withMessage(400, `Maximum number of statuses of a commit (${String(limit)}) exceeded`),
    'folder-missing': () => withMessage(404, '404 Tree Not Found'),
    'revision-missing': () => withMessage(404, '404 Not Found'),
    'commit-without-branch': () => withMessage(404, '404 References for commit Not Found'),
    'discussion-alone': () =>
      withMessage(400, '400 Bad request - Discussion can not be replied to.'),
    'position-refused': () =>
      withMessage(
        400,
        '400 Bad request - Note {:line_code=>["can\'t be blank", "must be a valid line code"]}',
      ),
    'status-runs-already': () =>
      withMessage(400, 'Cannot transition status via :enqueue from :running'),
    'status-repeated': ({ state }) =>
      withMessage(400, `Cannot transition status via :${VIA[state]} from :${state}`),
  },
  resources: {
    blob: 'Blob',
    branch: 'Branch',
    commit: 'Commit',
    discussion: 'Discussion',
    note: 'Note',
    file: 'File',
    'git-object': 'Object',
    pipeline: 'Pipeline',
    signature: 'Signature',
    tag: 'Tag',
    tree: 'Tree',
  },
});
