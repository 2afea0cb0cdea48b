export { Award } from './awards/award.entity.js';
export { AwardsRepository } from './awards/awards.repository.js';
export {
  IssuableActivityRecorder,
  type IssuableReport,
} from './changes/issuable-activity-recorder.js';
export {
  INITIAL_COUNTERS,
  IssuableRelations,
  type WithRelations,
} from './changes/issuable-relations.repository.js';
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
export { issuableControllers } from './issuable.controllers.js';
export { IssuablesModule } from './issuables.module.js';
export { BaseIssuableKind, type HeadOf } from './kinds/base-issuable-kind.js';
export { InternalId } from './kinds/internal-id.entity.js';
export { IssuableErasure } from './kinds/issuable-erasure.js';
export { IssuableKinds, ProvidesIssuableKind } from './kinds/issuable-kinds.js';
export { assertFields, invalidFields, LONGEST_TEXT, takesPart } from './kinds/issuable.rules.js';
export type {
  DescribedIssuable,
  Issuable,
  IssuableKind,
  IssuableType,
  NumberInProject,
  ReaderInSql,
  ReadScope,
} from './kinds/issuable.js';
export {
  isEnabled,
  RequiresEnabled,
  RequiresEnabledToWrite,
} from './kinds/issuables-enabled.guard.js';
export { IssuablesRepository, nextNumber } from './kinds/issuables.repository.js';
export { LabelLinksRepository } from './labels/label-links.repository.js';
export { Label, LabelLink } from './labels/label.entity.js';
export { LabelsRepository } from './labels/labels.repository.js';
export { Mention } from './changes/mention.entity.js';
export { MentionsRepository } from './changes/mentions.repository.js';
export { SystemNotesRepository } from './changes/system-notes.repository.js';
export { TextReferenceRecorder } from './changes/text-reference-recorder.js';
export { Milestone } from './milestones/milestone.entity.js';
export { MilestoneView, presentMilestone } from './milestones/milestone.view.js';
export { MilestonesRepository } from './milestones/milestones.repository.js';
export { issuableTargetSources } from './notes/issuable-event-targets.js';
export { Note } from './notes/note.entity.js';
export { NoteWritten } from './notes/note.events.js';
export { noteTarget } from './notes/note.rules.js';
export { NotesRepository } from './notes/notes.repository.js';
export { type AuthoredNote, NotesService } from './notes/notes.service.js';
export { expandReferences } from './references/expand-references.js';
export { HiddenReferences } from './references/hidden-references.js';
export {
  followEdit,
  hideReferences,
  type MovableText,
  type MovedReferences,
  withMoved,
} from './references/moved-references.js';
export { type Referenced, ReferenceResolver } from './references/reference-resolver.js';
export { commitText, type IssuableReference, referenceText } from './references/reference.js';
export { Subscription } from './subscriptions/subscription.entity.js';
export { Todo } from './todos/todo.entity.js';
export { TodosService } from './todos/todos.service.js';
