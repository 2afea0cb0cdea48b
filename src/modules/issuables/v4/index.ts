export {
  type ListPlace,
  type ListReading,
  presentReferences,
  presentTasks,
  presentTime,
  V4ReferencesView,
  V4TaskCompletionView,
  V4TimeStatsView,
} from './issuable.view.js';
export { PeopleParam, toAssigneeIds, toUserIds } from './issuable.dto.js';
export {
  type ListScope,
  toApproverFilters,
  toIssuableFilters,
  toLabelNames,
  toListOrder,
  toMilestoneTitle,
  toNegatedPeople,
  toPersonFilters,
  toScope,
  V4ListIssuablesDto,
  V4NegatedFiltersDto,
} from './issuable-list.dto.js';
export {
  type V4IssuablePresenter,
  V4IssuablePresenters,
  V4PresentsIssuables,
} from './issuable-presenters.js';
export { presentV4Milestone, V4MilestoneView } from './planning/milestone.view.js';
export { answerCommands, COMMANDS_ONLY, V4CommandsView } from './notes/commands.view.js';
export { presentDiscussion, V4DiscussionView } from './notes/discussion.view.js';
export { presentPosition, V4LineRangeView } from './notes/note.view.js';
export { toNoteInput, V4CreateNoteDto } from './notes/notes.controller.js';
