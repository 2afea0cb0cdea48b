import { Module, type Type } from '@nestjs/common';
import { MembershipsModule } from '../memberships/index.js';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
import { AwardsRepository } from './awards/awards.repository.js';
import { AwardsService } from './awards/awards.service.js';
import { issuableAwardsController } from './v3/awards/issuable-awards.controller.js';
import { IssuableActivityRecorder } from './changes/issuable-activity-recorder.js';
import { IssuableRelations } from './relations/issuable-relations.repository.js';
import { QuickActionPlanner } from './changes/quick-action-planner.js';
import { QuickActionRunner } from './changes/quick-action-runner.js';
import { TimesRepository } from './changes/times.repository.js';
import { TimeTrackingService } from './changes/time-tracking.service.js';
import { Triage } from './changes/triage.js';
import { CountersRepository } from './model/counters/counters.repository.js';
import { VerifyCountersJob } from './model/counters/verify-counters.job.js';
import { IssuableKinds } from './model/issuable-kinds.js';
import { QuickActionExecutors } from './model/quick-actions.js';
import type { IssuableRoutes } from './v3/issuable-routes.js';
import { LabelsController, LabelSubscriptionsController } from './v3/planning/labels.controller.js';
import { LabelsRepository } from './planning/labels.repository.js';
import { GroupLabelsRepository } from './planning/group-labels.repository.js';
import { LabelCountsRepository } from './planning/label-counts.repository.js';
import { LabelsService } from './planning/labels.service.js';
import { MilestonesController } from './v3/planning/milestones.controller.js';
import { MilestonesRepository } from './planning/milestones.repository.js';
import { PlanningTransfersListener } from './planning/planning-transfers.listener.js';
import { PlanningTransfersRepository } from './planning/planning-transfers.repository.js';
import { MilestonesService } from './planning/milestones.service.js';
import {
  issuableNotesController,
  noteAwardsController,
} from './v3/notes/issuable-notes.controller.js';
import { DiscussionsRepository } from './notes/discussions.repository.js';
import { DiscussionsService } from './notes/discussions.service.js';
import { DraftNotesRepository } from './notes/drafts/draft-notes.repository.js';
import { DraftNotesService } from './notes/drafts/draft-notes.service.js';
import { FollowUps } from './notes/follow-ups.js';
import { MentionsRepository } from './notes/mentions.repository.js';
import { NotesRepository } from './notes/notes.repository.js';
import { NotesService } from './notes/notes.service.js';
import { PositionsRepository } from './notes/positions.repository.js';
import { ReadableNotes } from './notes/readable-notes.js';
import { TextReferenceRecorder } from './notes/text-reference-recorder.js';
import { QuickActionReader } from './references/quick-action-reader.js';
import { ReferenceResolver } from './references/reference-resolver.js';
import { issuableSubscriptionsController } from './v3/todos/issuable-subscriptions.controller.js';
import { SubscriptionsRepository } from './todos/subscriptions.repository.js';
import { TodoPresenter } from './v3/todos/todo.view.js';
import { TodosController } from './v3/todos/todos.controller.js';
import { TodosRepository } from './todos/todos.repository.js';
import { TodosService } from './todos/todos.service.js';
import { IssuablePresenters } from './v3/issuable-presenters.js';
import { issuablesAnswers } from './v3/refusals.js';
import { LastActivities } from './relations/last-activities.js';
import {
  v4IssuableAwardsController,
  v4NoteAwardsController,
} from './v4/awards/awards.controller.js';
import { V4IssuablePresenters } from './v4/issuable-presenters.js';
import type { V4IssuableRoutes } from './v4/issuable-routes.js';
import {
  v4DiscussionsController,
  v4NewDiscussionsController,
} from './v4/notes/discussions.controller.js';
import { v4IssuableNotesController } from './v4/notes/notes.controller.js';
import { V4GroupLabelsController } from './v4/planning/group-labels.controller.js';
import { V4LabelsController } from './v4/planning/labels.controller.js';
import { V4GroupMilestonesController } from './v4/planning/group-milestones.controller.js';
import { V4MilestonesController } from './v4/planning/milestones.controller.js';
import { v4TimeTrackingController } from './v4/planning/time-tracking.controller.js';
import { v4IssuablesAnswers } from './v4/refusals.js';
import { v4AttentionController } from './v4/todos/attention.controller.js';
import { V4TodoPresenter } from './v4/todos/todo.view.js';
import { V4TodosController } from './v4/todos/todos.controller.js';

/**
 * The providers that the rooms of issues, merge requests and hooks use, and those that the controllers of
 * `issuableControllers` inject: these controllers belong to the modules of issues and merge requests.
 */
const SHARED = [
  AwardsRepository,
  AwardsService,
  DiscussionsRepository,
  DiscussionsService,
  DraftNotesService,
  FollowUps,
  IssuableActivityRecorder,
  IssuableKinds,
  IssuablePresenters,
  IssuableRelations,
  LabelsRepository,
  LastActivities,
  MentionsRepository,
  MilestonesRepository,
  MilestonesService,
  NotesRepository,
  NotesService,
  PositionsRepository,
  QuickActionExecutors,
  QuickActionPlanner,
  QuickActionReader,
  QuickActionRunner,
  ReadableNotes,
  ReferenceResolver,
  SubscriptionsRepository,
  TextReferenceRecorder,
  TimeTrackingService,
  TodoPresenter,
  TodosService,
  Triage,
  V4IssuablePresenters,
  V4TodoPresenter,
];

@Module({
  imports: [MembershipsModule, ProjectsModule, RepositoryModule],
  controllers: [
    LabelsController,
    LabelSubscriptionsController,
    MilestonesController,
    TodosController,
    V4GroupLabelsController,
    V4LabelsController,
    V4GroupMilestonesController,
    V4MilestonesController,
    V4TodosController,
  ],
  providers: [
    issuablesAnswers,
    v4IssuablesAnswers,
    ...SHARED,
    CountersRepository,
    DraftNotesRepository,
    GroupLabelsRepository,
    LabelCountsRepository,
    LabelsService,
    PlanningTransfersListener,
    PlanningTransfersRepository,
    TimesRepository,
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

/** The same of version 4. */
export const v4IssuableControllers = (
  routes: V4IssuableRoutes & { readonly view: Type<object> },
): Type<object>[] => [
  v4NoteAwardsController(routes),
  v4IssuableAwardsController(routes),
  v4IssuableNotesController(routes),
  v4DiscussionsController(routes),
  // Those of merge requests may have positions, which their room knows.
  ...(routes.type === 'Issue' ? [v4NewDiscussionsController(routes)] : []),
  v4AttentionController(routes),
  v4TimeTrackingController(routes),
];
