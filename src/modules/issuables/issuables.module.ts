import { Module, type Type } from '@nestjs/common';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
import { AwardsRepository } from './awards/awards.repository.js';
import { AwardsService } from './awards/awards.service.js';
import { issuableAwardsController } from './awards/issuable-awards.controller.js';
import { IssuableActivityRecorder } from './changes/issuable-activity-recorder.js';
import { IssuableRelations } from './changes/issuable-relations.repository.js';
import { Triage } from './changes/triage.js';
import { CountersRepository } from './counters/counters.repository.js';
import { VerifyCountersJob } from './counters/verify-counters.job.js';
import { IssuableKinds } from './kinds/issuable-kinds.js';
import type { IssuableRoutes } from './kinds/issuable-routes.js';
import { LabelsController, LabelSubscriptionsController } from './labels/labels.controller.js';
import { LabelsRepository } from './labels/labels.repository.js';
import { LabelsService } from './labels/labels.service.js';
import { MilestonesController } from './milestones/milestones.controller.js';
import { MilestonesRepository } from './milestones/milestones.repository.js';
import { MilestonesService } from './milestones/milestones.service.js';
import {
  issuableNotesController,
  noteAwardsController,
} from './notes/issuable-notes.controller.js';
import { MentionsRepository } from './notes/mentions.repository.js';
import { NotesRepository } from './notes/notes.repository.js';
import { NotesService } from './notes/notes.service.js';
import { TextReferenceRecorder } from './notes/text-reference-recorder.js';
import { ReferenceResolver } from './references/reference-resolver.js';
import { issuableSubscriptionsController } from './todos/issuable-subscriptions.controller.js';
import { SubscriptionsRepository } from './todos/subscriptions.repository.js';
import { TodoPresenter } from './todos/todo.view.js';
import { TodosController } from './todos/todos.controller.js';
import { TodosRepository } from './todos/todos.repository.js';
import { TodosService } from './todos/todos.service.js';

/**
 * The providers that the rooms of issues, merge requests and hooks use, and those that the controllers of
 * `issuableControllers` inject: these controllers belong to the modules of issues and merge requests.
 */
const SHARED = [
  AwardsRepository,
  AwardsService,
  IssuableActivityRecorder,
  IssuableKinds,
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
  imports: [ProjectsModule, RepositoryModule],
  controllers: [
    LabelsController,
    LabelSubscriptionsController,
    MilestonesController,
    TodosController,
  ],
  providers: [
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
