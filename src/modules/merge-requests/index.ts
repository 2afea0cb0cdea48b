export { DetailedStatuses, type MergeOutlook } from './accept/detailed-status.js';
export { AcceptService } from './accept/accept.service.js';
export {
  isWorkInProgress,
  MergeAttempt,
  MergeRequest,
  MergeRequestCount,
  MergeRequestVersion,
} from './model/merge-request.entity.js';
export { isApprovalAction, MergeRequestChanged } from './model/merge-request.events.js';
export {
  MergeRequestsRepository,
  type MergeRequestWithRelations,
} from './model/merge-requests.repository.js';
export { VersionsService } from './versions/versions.service.js';
export { MergeRequestsModule } from './merge-requests.module.js';
export { MergeRequestsService } from './merge-requests.service.js';
export {
  requestedOnAccept,
  requestedByAuthor,
  type SourceBranchRemoval,
} from './model/source-branch-removal.js';
export { VersionCheck } from './versions/version-check.js';
