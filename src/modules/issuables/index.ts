export { Award } from './awards/award.entity.js';
export { AwardsRepository } from './awards/awards.repository.js';
export {
  IssuableActivityRecorder,
  type IssuableReport,
} from './changes/issuable-activity-recorder.js';
export { IssuableReads } from './changes/issuable-reads.js';
export {
  INITIAL_COUNTERS,
  IssuableRelations,
  type Selected,
  type SelectedColumns,
  type WithRelations,
} from './changes/issuable-relations.repository.js';
export { isSubscribed } from './changes/issuable-relations.sql.js';
export {
  assigneeText,
  changedTriage,
  labelTexts,
  milestoneText,
  titleText,
  Triage,
  type TriageChange,
  type Triaged,
  type TriageInput,
} from './changes/triage.js';
export { VerifyCountersJob } from './counters/verify-counters.job.js';
export { issuableControllers, IssuablesModule } from './issuables.module.js';
export {
  BaseIssuableKind,
  type HeadOf,
  IssuableKinds,
  ProvidesIssuableKind,
} from './kinds/issuable-kinds.js';
export { givenNumber, InternalId, nextNumber } from './kinds/internal-id.entity.js';
export { BaseIssuablesRepository } from './kinds/issuables.repository.js';
export {
  assertFields,
  invalidFields,
  isEnabled,
  LONGEST_TEXT,
  takesPart,
} from './kinds/issuable.rules.js';
export type {
  DescribedIssuable,
  Issuable,
  IssuableKind,
  IssuableType,
  NumberInProject,
  ReaderInSql,
  ReadScope,
} from './kinds/issuable.js';
export { StateCounts } from './counters/state-counts.js';
export { RequiresEnabled, RequiresEnabledToWrite } from './kinds/issuable-routes.js';
export { LabelsRepository } from './labels/labels.repository.js';
export { LabelsService } from './labels/labels.service.js';
export { Label, LabelCountChange, LabelCounts, LabelLink } from './labels/label.entity.js';
export { Mention, Note } from './notes/note.entity.js';
export { MentionsRepository } from './notes/mentions.repository.js';
export { type AuthoredNote, type ImportedNote, NotesRepository } from './notes/notes.repository.js';
export { hasReferences, TextReferenceRecorder } from './notes/text-reference-recorder.js';
export { Milestone } from './milestones/milestone.entity.js';
export { MilestoneView, presentMilestone } from './milestones/milestone.view.js';
export { MilestonesService } from './milestones/milestones.service.js';
export {
  type ImportedMilestone,
  MilestonesRepository,
} from './milestones/milestones.repository.js';
export { issuableTargetSources, presentAuthoredNote } from './notes/note.presenter.js';
export { noteTarget, NoteWritten } from './notes/note.events.js';
export { NotesService } from './notes/notes.service.js';
export {
  expandReferences,
  followEdit,
  foreignReferences,
  hideReferences,
  type MovableText,
  type MovedReferences,
  withMoved,
} from './references/moved-references.js';
export { type Referenced, ReferenceResolver } from './references/reference-resolver.js';
export {
  commitText,
  type ForeignProject,
  foreignProject,
  type IssuableReference,
  referenceText,
} from './references/reference.js';
export { Subscription } from './todos/subscription.entity.js';
export { Todo } from './todos/todo.entity.js';
export { TodosService } from './todos/todos.service.js';
