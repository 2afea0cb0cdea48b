import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/index.js';
import { SettingsModule } from '../settings/index.js';
import { CommitCommentsController } from './comments/commit-comments.controller.js';
import { COMMENT_PROVIDERS } from './comments/providers.js';
import { CommitStatusesController } from './statuses/commit-statuses.controller.js';
import { CombinedStatuses } from './statuses/combined-statuses.js';
import { Pipelines } from './statuses/pipelines.js';
import { STATUS_PROVIDERS } from './statuses/providers.js';
import { AnswerCache } from './answer-cache.js';
import { CommitFinder } from './commit-finder.js';
import { READING_CONTROLLERS, READING_PROVIDERS } from './reading.js';
import { BranchWrites } from './branches/branch-writes.service.js';
import { BranchesController } from './branches.controller.js';
import { BranchesService } from './branches.service.js';
import { CommitsController } from './commits.controller.js';
import { CommitsService } from './commits.service.js';
import { MergeRights } from './protection/merge-rights.js';
import { ProtectedBranchesRepository } from './protection/protected-branches.repository.js';
import { FilledRepositories } from './filled-repositories.js';
import { ApiPush } from './pushes/api-push.js';
import { CurrentRights } from './pushes/current-rights.js';
import { DefaultBranch } from './pushes/default-branch.js';
import { BroughtCommits } from './pushes/brought-commits.js';
import { PostReceive } from './pushes/post-receive.js';
import { PushActivityRecorder } from './pushes/push-activity-recorder.js';
import { PushIntentsRepository } from './pushes/push-intents.repository.js';
import { PushJudge } from './pushes/push-judge.js';
import { PushDescriber } from './pushes/push-payloads.js';
import { PushSamples } from './pushes/push-samples.js';
import { PushRecorder } from './pushes/push-recorder.js';
import { PushRecovery } from './pushes/push-recovery.js';
import { PushTurns } from './pushes/push-turns.js';
import { StillBranches } from './pushes/still-branches.js';
import { PushParts, ReceivePush } from './pushes/receive-push.js';
import { RecoverPushes } from './pushes/recover-pushes.js';
import { SweepLeftovers } from './sweep-leftovers.js';
import { TidyRepository } from './tidy-repository.js';
import { WRITE_CONTROLLERS, WRITE_PROVIDERS } from './writes/providers.js';

@Module({
  imports: [ProjectsModule, SettingsModule],
  // Names of commits end paths: what follows them is looked for first.
  controllers: [
    CommitCommentsController,
    CommitStatusesController,
    ...READING_CONTROLLERS,
    BranchesController,
    CommitsController,
    ...WRITE_CONTROLLERS,
  ],
  providers: [
    ...COMMENT_PROVIDERS,
    ...READING_PROVIDERS,
    ...STATUS_PROVIDERS,
    AnswerCache,
    BranchesService,
    CommitFinder,
    CommitsService,
    CurrentRights,
    DefaultBranch,
    FilledRepositories,
    MergeRights,
    ProtectedBranchesRepository,
    BroughtCommits,
    PostReceive,
    PushActivityRecorder,
    PushDescriber,
    PushIntentsRepository,
    PushJudge,
    PushParts,
    PushRecorder,
    PushRecovery,
    PushSamples,
    PushTurns,
    ReceivePush,
    RecoverPushes,
    StillBranches,
    SweepLeftovers,
    TidyRepository,
    ...WRITE_PROVIDERS,
  ],
  exports: [
    AnswerCache,
    ApiPush,
    BranchWrites,
    CombinedStatuses,
    MergeRights,
    Pipelines,
    PushRecovery,
    PushSamples,
    ReceivePush,
    StillBranches,
  ],
})
export class RepositoryModule {}
