import { Module, type Type } from '@nestjs/common';
import { MembershipsModule } from '../memberships/index.js';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
import { AwardsRepository } from './awards/awards.repository.js';
import { AwardsService } from './awards/awards.service.js';
import { issuableAwardsController } from './v3/awards/issuable-awards.controller.js';
import { IssuableActivityRecorder } from './changes/issuable-activity-recorder.js';
import { IssuableRelations } from './relations/issuable-relations.repository.js';
import { Triage } from './changes/triage.js';
import { CountersRepository } from './counters/counters.repository.js';
import { VerifyCountersJob } from './counters/verify-counters.job.js';
import { IssuableKinds } from './model/issuable-kinds.js';
import type { IssuableRoutes } from './v3/issuable-routes.js';
import { LabelsController, LabelSubscriptionsController } from './v3/planning/labels.controller.js';
import { LabelsRepository } from './planning/labels.repository.js';
import { LabelsService } from './planning/labels.service.js';
import { MilestonesController } from './v3/planning/milestones.controller.js';
import { MilestonesRepository } from './planning/milestones.repository.js';
import { MilestonesService } from './planning/milestones.service.js';
import {
  issuableNotesController,
  noteAwardsController,
} from './v3/notes/issuable-notes.controller.js';
import { MentionsRepository } from './notes/mentions.repository.js';
import { NotesRepository } from './notes/notes.repository.js';
import { NotesService } from './notes/notes.service.js';
import { TextReferenceRecorder } from './notes/text-reference-recorder.js';
import { ReferenceResolver } from './references/reference-resolver.js';
import { issuableSubscriptionsController } from './v3/todos/issuable-subscriptions.controller.js';
import { SubscriptionsRepository } from './todos/subscriptions.repository.js';
import { TodoPresenter } from './v3/todos/todo.view.js';
import { TodosController } from './v3/todos/todos.controller.js';
import { TodosRepository } from './todos/todos.repository.js';
import { TodosService } from './todos/todos.service.js';
import { IssuablePresenters } from './v3/issuable-presenters.js';
import { issuablesAnswers } from './v3/refusals.js';

/**
 * The providers that the rooms of issues, merge requests and hooks use, and those that the controllers of
 * `issuableControllers` inject: these controllers belong to the modules of issues and merge requests.
 */
const SHARED = [
  AwardsRepository,
  AwardsService,
  IssuableActivityRecorder,
  IssuableKinds,
  IssuablePresenters,
  IssuableRelations,
  LabelsRepository,
  MentionsRepository,
  MilestonesRepository,
  NotesRepository,
  NotesService,
  ReferenceResolver,
  SubscriptionsRepository,
  TextReferenceRecorder,
  TodoPresenter,
  TodosService,
  Triage,
];

@Module({
  imports: [MembershipsModule, ProjectsModule, RepositoryModule],
  controllers: [
    LabelsController,
    LabelSubscriptionsController,
    MilestonesController,
    TodosController,
  ],
  providers: [
    issuablesAnswers,
    ...SHARED,
    CountersRepository,
    LabelsService,
    MilestonesService,
    TodosRepository,
    VerifyCountersJob,
  ],
  exports: SHARED,
})
export class IssuablesModule {}

/** Makes the controllers of the endpoints that issues and merge requests share, for one of the two. */
export const issuableControllers = (routes: IssuableRoutes): Type<object>[] => [
  noteAwardsController(routes),
  issuableAwardsController(routes),
  issuableNotesController(routes),
  issuableSubscriptionsController(routes),
];
