import { CloseAtOnce } from './close-at-once.js';
import { CloseByCommit } from './close-by-commit.js';
import { ClosingCredits } from './closing-credits.js';
import { CommitReferences } from './commit-references.js';
import { MentionCommits } from './mention-commits.js';
import { PushedCommitsListener } from './pushed-commits-listener.js';
import { PushedMessages } from './pushed-messages.js';
import { ReadCommits } from './read-commits.js';

/** What pushed commits do to issues. */
export const CLOSING_PROVIDERS = [
  CloseAtOnce,
  CloseByCommit,
  ClosingCredits,
  CommitReferences,
  MentionCommits,
  PushedCommitsListener,
  PushedMessages,
  ReadCommits,
];
