export { ByteCache } from './byte-cache.js';
export { Git, type GitOptions } from './git.js';
export { Repository } from './repository.js';
export type { WorkKind } from './process-scheduler.js';
export { ObjectReader, type ReadOptions } from './object-reader.js';
export { RefStore } from './ref-store.js';
export type { RefList } from './ref-lists.js';
export type { RefChange } from './ref-change.js';
export { folderSize } from './folder-size.js';
export type { Admission } from './pack.js';
export { FileMode, NewObjects, plainIdentity } from './new-objects.js';
export type { CommitDraft, TagDraft } from './new-objects.js';
export type { FileEntry, TreeEditor } from './tree-editor.js';
export type { MergedTree } from './merge.js';
export type { BranchMove, MoveEffects } from './branch-moves.js';
export { QuarantineView } from './quarantine.js';
export { EXACT_TOTAL, type HistoryOptions, type HistoryPage } from './history.js';
export { ensureAttributes } from './attributes.js';
export type { ArchiveOptions } from './archive.js';
export type { FileContent } from './file-content.js';
export { MAX_LISTED, type TreeListing, Trees } from './trees.js';
export type { ChangeCounts } from './comparisons.js';
export type { HousekeepingResult } from './housekeeping.js';
export type { Remote } from './remote.js';
export type { FetchOptions } from './fetch.js';
export type { PackServiceName } from './command-table.js';
export { acceptedProtocol } from './protocol.js';
export {
  advertisementHeader,
  type AdvertiseOptions,
  type PackResult,
  type UploadPackOptions,
} from './pack-service.js';
export type { ClientRate } from './client-pace.js';
export type { ClientOutput, ClientStreams } from './client-streams.js';
export type { Gate, GateDecision, PushOutcome, ReceivePackOptions } from './receive-pack.js';
export type { ObjectLimits } from './object-limits.js';
export { MAX_COMMITS } from './commit-graph.js';
export { PushHistory, type PushedCommits, type PushedRange } from './pushed-commits.js';
export type { PushReport } from './push-report.js';
export { FLUSH_PACKET, pktLine } from './pkt-line.js';
export {
  BRANCH_PREFIX,
  isOid,
  isTreePath,
  isValidBranchName,
  isValidRefName,
  isWritableRefName,
  TAG_PREFIX,
} from './names.js';
export * from './errors.js';
export * from './types.js';
