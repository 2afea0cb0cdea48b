export { Git, type GitOptions, gitVersion, type RepositoryOptions } from './git.js';
export { Repository } from './repository.js';
export * from './model/errors.js';
export {
  BRANCH_PREFIX,
  HEAD,
  isBranchOrTag,
  isValidBranchName,
  isValidRefName,
  isWritableRefName,
  looksLikeHash,
  TAG_PREFIX,
} from './model/names.js';
export { FileMode } from './model/tree-parser.js';
export * from './model/types.js';
export { findRepositories, type FoundRepository } from './copying/find-repositories.js';
export type { PackServiceName } from './process/command-table.js';
export type { LockOwners } from './process/lock-owners.js';
export type { WorkClient } from './process/process-scheduler.js';
export type { GitObserver } from './process/observer.js';
export { ByteCache, cacheLookups } from './storage/byte-cache.js';
export { folderSize, isAbsent } from './storage/files.js';
export type { RecordedRefs } from './storage/repository-view.js';
export { FOLDERS as REPOSITORY_FOLDERS } from './storage/repository-folder.js';
export { listObjectFiles, repositoryTexts } from './copying/repository-files.js';
export type { FileContent } from './objects/file-content.js';
export { NewObjects, plainIdentity } from './objects/new-objects.js';
export type { ObjectLimits } from './objects/object-limits.js';
export type { Admission } from './objects/incoming.js';
export type { FileEntry, TreeEditor } from './objects/tree-editor.js';
export { MAX_LISTED } from './objects/trees.js';
export type { LineRange } from './history/blame.js';
export type { ReplayProblem } from './merge/rebase.js';
export type { MoveEffects } from './history/comparisons.js';
export type { ChangeCounts } from './diff/diffs.js';
export type { PatchForm } from './diff/patches.js';
export type { HistoryPage } from './history/history.js';
export { PushHistory, type PushedCommits, type PushedRange } from './history/pushed-commits.js';
export { QuarantineView } from './history/quarantine.js';
export { advertisementHeader, type PackResult } from './wire/pack-service.js';
export type { PackSlot } from './wire/fetch-gate.js';
export { FLUSH_PACKET, pktLine } from './wire/pkt-line.js';
export { acceptedProtocol } from './wire/advertisements.js';
export type { Gate, GateDecision, PushOutcome, ReceivePackOptions } from './wire/receive-pack.js';
