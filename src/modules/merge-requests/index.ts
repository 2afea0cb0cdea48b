export { MergeAttempt } from './merges/merge-attempt.entity.js';
export { isWorkInProgress, MergeRequest } from './model/merge-request.entity.js';
export {
  type MergeRequestAction,
  MergeRequestChanged,
  type MergeRequestField,
  type MergeRequestUpdate,
} from './model/merge-request.events.js';
export { MergeRequestsModule } from './merge-requests.module.js';
export { MergeRequestVersion } from './versions/merge-request-version.entity.js';
export {
  requestedOnAccept,
  requestedByAuthor,
  type SourceBranchRemoval,
} from './model/source-branch-removal.js';
