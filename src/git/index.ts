export { Git, type GitOptions } from './git.js';
export { Repository } from './repository.js';
export * from './model/errors.js';
export {
  BRANCH_PREFIX,
  isOid,
  isTreePath,
  isValidBranchName,
  isValidRefName,
  isWritableRefName,
  TAG_PREFIX,
} from './model/names.js';
export { FileMode } from './model/tree-parser.js';
export * from './model/types.js';
export type { PackServiceName } from './process/command-table.js';
export type { WorkKind } from './process/process-scheduler.js';
export { ensureAttributes } from './storage/repository-folder.js';
export { ByteCache } from './storage/byte-cache.js';
export { folderSize } from './storage/files.js';
export type { ArchiveOptions } from './objects/archive.js';
export type { FileContent } from './objects/file-content.js';
export {
  NewObjects,
  plainIdentity,
  type CommitDraft,
  type TagDraft,
} from './objects/new-objects.js';
export type { ObjectLimits } from './objects/object-limits.js';
export { ObjectReader, type ReadOptions } from './objects/object-reader.js';
export type { Admission } from './objects/incoming.js';
export type { FileEntry, TreeEditor } from './objects/tree-editor.js';
export { MAX_LISTED, type TreeListing, Trees } from './objects/trees.js';
export type { RefChange } from './refs/ref-change.js';
export type { RefList } from './refs/ref-lists.js';
export { RefStore } from './refs/ref-store.js';
export type { BranchMove, MoveEffects } from './history/comparisons.js';
export { MAX_COMMITS } from './history/commit-graph.js';
export type { ChangeCounts } from './diff/diffs.js';
export { EXACT_TOTAL, type HistoryOptions, type HistoryPage } from './history/history.js';
export { PushHistory, type PushedCommits, type PushedRange } from './history/pushed-commits.js';
export { QuarantineView } from './history/quarantine.js';
export type { MergedTree } from './merge/merge.js';
export type { ClientRate } from './process/runtime.js';
export type { ClientOutput, ClientStreams } from './wire/client-streams.js';
export {
  advertisementHeader,
  type AdvertiseOptions,
  type PackResult,
  type UploadPackOptions,
} from './wire/pack-service.js';
export { FLUSH_PACKET, pktLine } from './wire/pkt-line.js';
export { acceptedProtocol } from './wire/advertisements.js';
export type { PushReport } from './wire/push-report.js';
export type { Gate, GateDecision, PushOutcome, ReceivePackOptions } from './wire/receive-pack.js';
export type { FetchOptions } from './copying/fetch.js';
export type { Remote } from './copying/remote.js';
export type { HousekeepingResult } from './maintenance/housekeeping.js';
