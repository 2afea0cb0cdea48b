import { GitClosedError, GitError } from '../../../git/index.js';

/** Whether git has failed at one repository or commit, which is no reason to leave out others. */
export const isOfGit = (error: unknown): error is GitError =>
  error instanceof GitError && !(error instanceof GitClosedError);
