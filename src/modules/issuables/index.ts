export { Attention } from './attention.js';
export { Award } from './awards/award.entity.js';
export { AwardPresenter } from './awards/award.presenter.js';
export { AwardView } from './awards/award.view.js';
export { AwardsRepository } from './awards/awards.repository.js';
export { AwardsService, type OwnedAwardable } from './awards/awards.service.js';
export { AwardEmojiDto } from './awards/dto/award-emoji.dto.js';
export {
  assigneeText,
  labelTexts,
  milestoneText,
  titleText,
  type TriageChange,
} from './change-texts.js';
export { assertFields } from './field.rules.js';
export { type Changes, given } from './given.js';
export { InternalId } from './internal-id.entity.js';
export { InternalIds, nextNumber } from './internal-ids.js';
export { IssuableErasure } from './issuable-erasure.js';
export { IssuableOutcome } from './issuable-outcome.js';
export {
  INITIAL_COUNTERS,
  IssuableRelations,
  type EmbeddedRelations,
} from './issuable-relations.js';
export { IssuableTargets } from './issuable-targets.js';
export { IssuableTraces } from './issuable-traces.js';
export { IssuableKinds, ProvidesIssuableKind } from './issuable-kinds.js';
export type {
  DescribedIssuable,
  Issuable,
  IssuableKind,
  IssuableType,
  NumberInProject,
  Reach,
  ReaderInSql,
} from './issuable.js';
export { IssuablesModule } from './issuables.module.js';
export { type HeadOf, KindOfRows } from './kind-of-rows.js';
export { LabelLink } from './labels/label-link.entity.js';
export { type LabelChange, LabelLinks } from './labels/label-links.js';
export { Label } from './labels/label.entity.js';
export { LabelsRepository } from './labels/labels.repository.js';
export { Mention } from './mentions/mention.entity.js';
export { MentionsRepository } from './mentions/mentions.repository.js';
export { Milestone } from './milestones/milestone.entity.js';
export { MilestonePresenter } from './milestones/milestone.presenter.js';
export { MilestoneView } from './milestones/milestone.view.js';
export { MilestonesRepository } from './milestones/milestones.repository.js';
export { Comment } from './notes/comment.js';
export { CreateNoteDto, UpdateNoteDto } from './notes/dto/write-note.dto.js';
export { Note } from './notes/note.entity.js';
export { NoteWritten } from './notes/note.events.js';
export { NotePresenter, toldNote } from './notes/note.presenter.js';
export { noteTarget } from './notes/note.rules.js';
export { NotesRepository } from './notes/notes.repository.js';
export { type AuthoredNote, NotesService } from './notes/notes.service.js';
export { type NoteInput, WriteNotes } from './notes/write-notes.js';
export { type NoteOrigin, SystemNotes } from './notes/system-notes.js';
export { Readers } from './readers.js';
export { CrossReferences } from './references/cross-references.js';
export { expandReferences } from './references/expand-references.js';
export { HiddenReferences } from './references/hidden-references.js';
export {
  followEdit,
  hideReferences,
  type MovableText,
  type MovedReferences,
  withMoved,
} from './references/moved-references.js';
export type { IssuableReference } from './references/reference.js';
export { ReferenceReader } from './references/reference-reader.js';
export { commitText, referenceText } from './references/reference-text.js';
export { type Referenced, ReferencedIssuables } from './references/referenced-issuables.js';
export { TextEffects, type WrittenText } from './references/text-effects.js';
export { Subscription } from './subscriptions/subscription.entity.js';
export { Subscriptions } from './subscriptions/subscriptions.js';
export { takesPart } from './takes-part.js';
export { Todo, type TodoAction } from './todos/todo.entity.js';
export { TodoPresenter } from './todos/todo.presenter.js';
export { TodoView } from './todos/todo.view.js';
export { Todos } from './todos/todos.js';
export { TrackersGuard } from './trackers.guard.js';
export { hasTracker } from './trackers.js';
export { descriptionErrors, invalidFields, LONGEST_TEXT, titleErrors } from './text.rules.js';
export { changedTriage, Triage, type Triaged, type TriageInput } from './triage.js';
