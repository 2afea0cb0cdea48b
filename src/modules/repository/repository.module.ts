import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/index.js';
import { SettingsModule } from '../settings/index.js';
import { BranchesController } from './branches.controller.js';
import { BranchesService } from './branches.service.js';
import { CommitsController } from './commits.controller.js';
import { CommitsService } from './commits.service.js';
import { ProtectedBranchesRepository } from './protection/protected-branches.repository.js';
import { FilledRepositories } from './filled-repositories.js';
import { DefaultBranch } from './pushes/default-branch.js';
import { PushActivities } from './pushes/push-activities.js';
import { PushIntentsRepository } from './pushes/push-intents.repository.js';
import { PushJudge } from './pushes/push-judge.js';
import { PushOutcome } from './pushes/push-outcome.js';
import { PushPayloads } from './pushes/push-payloads.js';
import { PushRecovery } from './pushes/push-recovery.js';
import { PushTurns } from './pushes/push-turns.js';
import { PushParts, ReceivePush } from './pushes/receive-push.js';
import { RecoverPushes } from './pushes/recover-pushes.js';
import { TidyRepository } from './tidy-repository.js';

@Module({
  imports: [ProjectsModule, SettingsModule],
  controllers: [BranchesController, CommitsController],
  providers: [
    BranchesService,
    CommitsService,
    DefaultBranch,
    FilledRepositories,
    ProtectedBranchesRepository,
    PushActivities,
    PushIntentsRepository,
    PushJudge,
    PushOutcome,
    PushParts,
    PushPayloads,
    PushRecovery,
    PushTurns,
    ReceivePush,
    RecoverPushes,
    TidyRepository,
  ],
  exports: [PushRecovery, ReceivePush],
})
export class RepositoryModule {}
