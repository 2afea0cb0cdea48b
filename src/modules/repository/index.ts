export { AnswerCache, type Lasting } from './answer-cache.js';
export { lineNumbers } from './comments/changed-lines.js';
export { CommitComment } from './comments/commit-comment.entity.js';
export { CommitCommented } from './comments/commit-comment.events.js';
export { shortId, titleOf } from './commit.presenter.js';
export { presentDiff } from './diffs/diff.presenter.js';
export { DiffView } from './diffs/diff.view.js';
export { formatGitDate, formatHookDate } from './git-date.js';
export { listCommits } from './listed-commits.js';
export { gitRefusal } from './git-refusal.js';
export { BranchWrites } from './branches/branch-writes.service.js';
export { MergeRights } from './protection/merge-rights.js';
export { ProtectedBranch } from './protection/protected-branch.entity.js';
export { Release } from './tags/release.entity.js';
export { PushIntent } from './pushes/push-intent.entity.js';
export { ApiPush, type PushPlan } from './pushes/api-push.js';
export {
  BranchesDeleted,
  BranchesPushed,
  type PushedBranch,
  RefsPushed,
} from './pushes/push.events.js';
export type { PushedCommit, PushPayload } from './pushes/push-payloads.js';
export { PushFollowUps } from './pushes/push-follow-ups.js';
export { PushMessages, type ToldPush } from './pushes/push-messages.js';
export { PushSamples } from './pushes/push-samples.js';
export { PushRecovery } from './pushes/push-recovery.js';
export { type GitStreams, ReceivePush } from './pushes/receive-push.js';
export { StillBranches } from './pushes/still-branches.js';
export { RepositoryModule } from './repository.module.js';
export type { CombinedState } from './statuses/combined-status.js';
export { CombinedStatuses } from './statuses/combined-statuses.js';
export { CommitStatus } from './statuses/commit-status.entity.js';
export { CommitStatusChanged } from './statuses/commit-status.events.js';
export { type PipelineKey, Pipelines } from './statuses/pipelines.js';
export { committerOf } from './writes/commit-author.js';
export { storable } from './storable-text.js';
