import type { PushTexts } from '../repository/index.js';
import { storageLimitText } from '../storage/index.js';

const NO_ACCESS = 'You are not allowed to push code to this project.';

/** What git shows of a push, over HTTP and SSH (docs/reference/git.md#refusals). */
export const PUSH_TEXTS: PushTexts = {
  failures: {
    'being-filled': 'The repository is still being filled. Try again later.',
    'no-access': NO_ACCESS,
    'not-shown': 'The storage does not show the last push yet. Try again later.',
    'project-deleted': 'The project you were looking for could not be found.',
    unavailable:
      'The service is unavailable at the moment; nothing was changed. Try again in a few seconds.',
    unchecked: 'The push could not be checked; nothing was changed.',
    unsettled:
      'A push to this project was interrupted when a machine of the server failed, and is still being settled. Try again in a minute.',
  },
  refProblems: {
    'hash-as-name': 'The name of a branch or tag cannot have the form of a hash.',
    'invalid-name': 'The name of a branch or tag cannot be HEAD and cannot begin with "-".',
    'no-push-access': NO_ACCESS,
    protected: 'You are not allowed to push code to protected branches on this project.',
    'protected-deleted': 'You are not allowed to delete protected branches from this project.',
    'protected-forced':
      'You are not allowed to force push code to a protected branch on this project.',
    'tag-exists': 'You are not allowed to change existing tags on this project.',
  },
  storageLimit: storageLimitText,
  waiting: 'Waiting for another push to this project...',
  waitingForRecovery:
    'Waiting until an interrupted push to this project is settled: a machine of the server has failed...',
};
