export { MergeAttempt } from './accept/merge-attempt.entity.js';
export { MergeRequest } from './merge-request.entity.js';
export {
  type MergeRequestAction,
  MergeRequestChanged,
  type MergeRequestField,
  type MergeRequestUpdate,
} from './merge-request.events.js';
export { MergeRequestsModule } from './merge-requests.module.js';
export { MergeRequestVersion } from './versions/merge-request-version.entity.js';
export { acceptersWish, authorsWish, type RemovalWish } from './source-branch-removal.js';
export { isWorkInProgress } from './work-in-progress.js';
