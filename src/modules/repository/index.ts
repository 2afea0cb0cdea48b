export { BranchesService } from './branches/branches.service.js';
export { lineNumbers } from './commits/comments/changed-lines.js';
export { CommitComment } from './commits/comments/commit-comment.entity.js';
export {
  type AuthoredComment,
  CommitCommentsService,
} from './commits/comments/commit-comments.service.js';
export {
  CommitCommented,
  type CommentedCommit,
  CommitStatusChanged,
} from './commits/commit.events.js';
export { CommitsService } from './commits/commits.service.js';
export { committerOf } from './commits/commit-writer.js';
export { DiffsService } from './commits/diffs.service.js';
export type { Flaw } from './housekeeping/flaw.js';
export { RepositoryCheck } from './housekeeping/repository-check.js';
export { TidyRepositoryJob } from './housekeeping/tidy-repository.job.js';
export { ProtectedBranch } from './protection/protected-branch.entity.js';
export { matchesWildcard } from './protection/protection.policy.js';
export { ProtectedBranchesService } from './protection/protected-branches.service.js';
export { ApiPush, type PushPlan } from './pushes/api-push.js';
export {
  describeCommit,
  MAX_PAYLOAD_IDENTITY,
  MAX_PAYLOAD_MESSAGE,
  PushDescriber,
} from './pushes/payloads/push-describer.js';
export { PushAuthorizer } from './pushes/push-authorizer.js';
export { type PushedBranch, PushPhase, PushRecorded } from './pushes/push.events.js';
export { OnPostReceive, POST_RECEIVE_DELAY_MS, type ReceivedPush } from './pushes/post-receive.js';
export { PushIntent } from './pushes/push-intent.entity.js';
export { type GitStreams, type PushTexts, ReceivePush } from './pushes/receive-push.js';
export { PushRecovery } from './pushes/recording/push-recovery.js';
export { RepositoryModule } from './repository.module.js';
export { AnswerCache, type CacheableAnswer } from './shared/answer-cache.js';
export { beginningOf, discussionIdFor } from './shared/discussion-ids.js';
export { patchLines } from './shared/patch-lines.js';
export { ShownFiles, type ShownLine } from './shared/shown-files.js';
export { positionRefused } from './shared/refusals.js';
export { listCommits, shortId, storable, titleOf } from './shared/commit-text.js';
export { formatGitDate } from './shared/git-date.js';
export { findUnavailability } from './shared/find-unavailability.js';
export { gitRefusal } from './shared/git-refusal.js';
export { CombinedStatuses, type CommitWithStatus } from './commits/statuses/combined-statuses.js';
export { CommitStatus } from './commits/statuses/commit-status.entity.js';
export { CommitStatusesService } from './commits/statuses/commit-statuses.service.js';
export type { PipelineKey } from './commits/statuses/commit-statuses.repository.js';
export { type Pipeline, type PipelineDetails, Pipelines } from './commits/statuses/pipelines.js';
export { type CombinedState, STAGE } from './commits/statuses/status.rules.js';
export { Release } from './tags/release.entity.js';
export { type ReleaseAction, ReleaseChanged } from './tags/release.events.js';
export {
  type ChangedReleaseValues,
  type ReleaseQuery,
  ReleasesRepository,
  type ReleaseValues,
} from './tags/releases.repository.js';
export { releaseRefused } from './shared/refusals.js';
export { TagsService } from './tags/tags.service.js';
