import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
import { Attention } from './attention.js';
import { IssuableRelations } from './issuable-relations.js';
import { IssuableTraces } from './issuable-traces.js';
import { Triage } from './triage.js';
import { AwardPresenter } from './awards/award.presenter.js';
import { AwardsRepository } from './awards/awards.repository.js';
import { AwardsService } from './awards/awards.service.js';
import { AWARD_PROVIDERS } from './awards/providers.js';
import { InternalIds } from './internal-ids.js';
import { IssuableCounters } from './issuable-counters.js';
import { IssuableKinds } from './issuable-kinds.js';
import { LabelLinks } from './labels/label-links.js';
import { LabelsRepository } from './labels/labels.repository.js';
import { LABEL_CONTROLLERS, LABEL_PROVIDERS } from './labels/providers.js';
import { MentionsRepository } from './mentions/mentions.repository.js';
import { MilestonePresenter } from './milestones/milestone.presenter.js';
import { MilestonesRepository } from './milestones/milestones.repository.js';
import { MENTION_PROVIDERS } from './mentions/providers.js';
import { MILESTONE_CONTROLLERS, MILESTONE_PROVIDERS } from './milestones/providers.js';
import { Comment } from './notes/comment.js';
import { NotePresenter } from './notes/note.presenter.js';
import { NotesRepository } from './notes/notes.repository.js';
import { NotesService } from './notes/notes.service.js';
import { NOTE_PROVIDERS } from './notes/providers.js';
import { SystemNotes } from './notes/system-notes.js';
import { WriteNotes } from './notes/write-notes.js';
import { REFERENCE_PROVIDERS } from './references/providers.js';
import { SUBSCRIPTION_PROVIDERS } from './subscriptions/providers.js';
import { Subscriptions } from './subscriptions/subscriptions.js';
import { Readers } from './readers.js';
import { TODO_CONTROLLERS, TODO_PROVIDERS } from './todos/providers.js';
import { TodoPresenter } from './todos/todo.presenter.js';
import { Todos } from './todos/todos.js';

/** What both rooms above are made of. */
const SHARED_PROVIDERS = [Attention, IssuableRelations, IssuableTraces, Triage];

/** What issues and merge requests share. */
@Module({
  imports: [ProjectsModule, RepositoryModule],
  controllers: [...LABEL_CONTROLLERS, ...MILESTONE_CONTROLLERS, ...TODO_CONTROLLERS],
  providers: [
    ...AWARD_PROVIDERS,
    ...LABEL_PROVIDERS,
    ...MENTION_PROVIDERS,
    ...MILESTONE_PROVIDERS,
    ...NOTE_PROVIDERS,
    ...REFERENCE_PROVIDERS,
    ...SUBSCRIPTION_PROVIDERS,
    ...TODO_PROVIDERS,
    InternalIds,
    IssuableCounters,
    IssuableKinds,
    ...SHARED_PROVIDERS,
  ],
  exports: [
    ...SHARED_PROVIDERS,
    Comment,
    AwardPresenter,
    AwardsRepository,
    AwardsService,
    NotePresenter,
    NotesRepository,
    NotesService,
    WriteNotes,
    LabelLinks,
    LabelsRepository,
    MentionsRepository,
    MilestonePresenter,
    MilestonesRepository,
    InternalIds,
    IssuableCounters,
    IssuableKinds,
    Subscriptions,
    Readers,
    SystemNotes,
    ...REFERENCE_PROVIDERS,
    TodoPresenter,
    Todos,
  ],
})
export class IssuablesModule {}
