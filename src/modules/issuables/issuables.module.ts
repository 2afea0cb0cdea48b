import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
import { AwardsRepository } from './awards/awards.repository.js';
import { AwardsService } from './awards/awards.service.js';
import { IssuableActivityRecorder } from './changes/issuable-activity-recorder.js';
import { IssuableRelations } from './changes/issuable-relations.repository.js';
import { Triage } from './changes/triage.js';
import { IssuableKinds } from './kinds/issuable-kinds.js';
import { IssuableReaders } from './kinds/issuable-readers.js';
import { IssuablesRepository } from './kinds/issuables.repository.js';
import { LabelLinksRepository } from './labels/label-links.repository.js';
import { LabelsController, LabelSubscriptionsController } from './labels/labels.controller.js';
import { LabelsRepository } from './labels/labels.repository.js';
import { LabelsService } from './labels/labels.service.js';
import { MentionsRepository } from './changes/mentions.repository.js';
import { SystemNotesRepository } from './changes/system-notes.repository.js';
import { TextReferenceRecorder } from './changes/text-reference-recorder.js';
import { MilestonesController } from './milestones/milestones.controller.js';
import { MilestonesRepository } from './milestones/milestones.repository.js';
import { MilestonesService } from './milestones/milestones.service.js';
import { NotesRepository } from './notes/notes.repository.js';
import { NotesService } from './notes/notes.service.js';
import { HiddenReferences } from './references/hidden-references.js';
import { ReferenceResolver } from './references/reference-resolver.js';
import { SubscriptionsRepository } from './subscriptions/subscriptions.repository.js';
import { TodoPresenter } from './todos/todo.presenter.js';
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
  HiddenReferences,
  IssuableActivityRecorder,
  IssuableKinds,
  IssuableRelations,
  IssuablesRepository,
  LabelLinksRepository,
  LabelsRepository,
  MentionsRepository,
  MilestonesRepository,
  NotesRepository,
  NotesService,
  ReferenceResolver,
  SubscriptionsRepository,
  SystemNotesRepository,
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
  providers: [...SHARED, IssuableReaders, LabelsService, MilestonesService, TodosRepository],
  exports: SHARED,
})
export class IssuablesModule {}
