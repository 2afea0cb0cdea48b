import { CloseByCommit } from './close-by-commit.js';
import { ClosingCredits } from './closing-credits.js';
import { CommitReferences } from './commit-references.js';
import { FollowPushes } from './follow-pushes.js';
import { PushedMessages } from './pushed-messages.js';
import { ReadCommits } from './read-commits.js';

/** What pushed commits do to issues. */
export const CLOSING_PROVIDERS = [
  CloseByCommit,
  ClosingCredits,
  CommitReferences,
  FollowPushes,
  PushedMessages,
  ReadCommits,
];
