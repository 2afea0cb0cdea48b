export { Award } from './awards/award.entity.js';
export { EmojiAwarded } from './awards/award.events.js';
export { AwardsRepository } from './awards/awards.repository.js';
export {
  IssuableActivityRecorder,
  type IssuableReport,
} from './changes/issuable-activity-recorder.js';
export { LastActivities, type StateChange } from './relations/last-activities.js';
export { IssuableLists } from './relations/issuable-lists.js';
export {
  countOfIssuables,
  type ListOrder,
  type ListStatement,
  NEWEST_FIRST,
  pageOfIssuables,
  rowOf,
} from './relations/issuable-lists.sql.js';
export {
  type DueFilter,
  filterConditions,
  hasFilters,
  type IssuableFilters,
  type PersonFilter,
} from './relations/issuable-filters.sql.js';
export { IssuableReads } from './relations/issuable-reads.js';
export {
  INITIAL_COUNTERS,
  IssuableRelations,
  type WithRelations,
} from './relations/issuable-relations.repository.js';
export {
  actionsOf,
  assigneeTexts,
  labelTexts,
  lockTexts,
  type ListedPeople,
  milestoneText,
  reviewerTexts,
  titleText,
  Triage,
  type TriageChange,
  type Triaged,
  type TriageInput,
  wantedAssignees,
} from './changes/triage.js';
export {
  type ActionCase,
  type ActionPlan,
  type PlannedFields,
  QuickActionPlanner,
} from './changes/quick-action-planner.js';
export {
  type FurtherActions,
  QuickActionRunner,
  withoutRefusals,
} from './changes/quick-action-runner.js';
export { VerifyCountersJob } from './model/counters/verify-counters.job.js';
export { issuableControllers, IssuablesModule, v4IssuableControllers } from './issuables.module.js';
export { IssuableKinds, ProvidesIssuableKind } from './model/issuable-kinds.js';
export { BaseIssuableKind, type HeadOf } from './relations/base-issuable-kind.js';
export { RequiresEnabled, RequiresEnabledToWrite } from './model/enabled.guard.js';
export {
  givenNumber,
  GroupInternalId,
  InternalId,
  nextNumber,
} from './model/internal-id.entity.js';
export { BaseIssuablesRepository } from './model/issuables.repository.js';
export { assertFields, isEnabled, takesPart } from './model/issuable.rules.js';
export type {
  DescribedIssuable,
  Issuable,
  IssuableKey,
  IssuableKind,
  IssuableType,
  LoadedIssuable,
  NumberInProject,
  ReaderInSql,
  ReadScope,
} from './model/issuable.js';
export { hasAmong, isAmong } from './model/people.sql.js';
export {
  type ActionsOfNote,
  type AppliedActions,
  ProvidesQuickActions,
  type QuickAction,
  type QuickActionExecutor,
} from './model/quick-actions.js';
export { StateCounts } from './model/counters/state-counts.js';
export { LabelsRepository } from './planning/labels.repository.js';
export { LabelsService } from './planning/labels.service.js';
export { type PlanningPlace, scopeOf } from './planning/planning-owner.js';
export {
  Label,
  LabelCountChange,
  LabelCounts,
  LabelLink,
  LabelPriority,
} from './planning/label.entity.js';
export {
  type BegunThread,
  discussionIdOf,
  isResolvable,
  PLAIN_THREAD,
  threadAt,
} from './notes/discussion.js';
export { DraftNote } from './notes/drafts/draft-note.entity.js';
export { DraftNotesService } from './notes/drafts/draft-notes.service.js';
export { type FollowedUp, FollowUps } from './notes/follow-ups.js';
export { DiscussionsRepository } from './notes/discussions.repository.js';
export { type Discussion, DiscussionsService } from './notes/discussions.service.js';
export {
  type DiffPosition,
  type ImagePlace,
  type PositionRange,
  Mention,
  Note,
  type RangeEnd,
} from './notes/note.entity.js';
export { MentionsRepository } from './notes/mentions.repository.js';
export { type AuthoredNote, type ImportedNote, NotesRepository } from './notes/notes.repository.js';
export { hasReferences, TextReferenceRecorder } from './notes/text-reference-recorder.js';
export { Milestone } from './planning/milestone.entity.js';
export { MilestonesService } from './planning/milestones.service.js';
export { MilestonesRepository } from './planning/milestones.repository.js';
export {
  type FollowedPosition,
  type MovedPosition,
  PositionsRepository,
} from './notes/positions.repository.js';
export { issuableTargetSources } from './notes/target-sources.js';
export { DiscussionsResolved, noteTarget, NoteWritten } from './notes/note.events.js';
export { CommandsOnly, NotesService } from './notes/notes.service.js';
export { moveReferences } from './references/move-references.js';
export {
  REFERENCE_CHARACTERS_PER_REQUEST,
  REFERENCE_CHARACTERS_PER_TEXT,
} from './references/parse-references.js';
export {
  COMMITS_READ_FOR_REFERENCES,
  fullPathOf,
  NOWHERE,
  type Referenced,
  ReferenceResolver,
} from './references/reference-resolver.js';
export { commitText, mayName, type NamedPath, referenceText } from './references/reference.js';
export type { IssuableReference } from './references/scan-references.js';
export { QuickActionReader, type TextWithActions } from './references/quick-action-reader.js';
export { SubscriptionsRepository } from './todos/subscriptions.repository.js';
export { Subscription } from './todos/subscription.entity.js';
export { Todo } from './todos/todo.entity.js';
export { TodosService } from './todos/todos.service.js';
