export { StorageModule } from './storage.module.js';
export type { StorageSizes } from './refusals.js';
export { RefMove } from './repositories/ref-move.entity.js';
export { RefMovesRepository } from './repositories/ref-moves.repository.js';
export {
  foldersIn,
  hashedFolder,
  hashedFolders,
  repositoryFolder,
} from './repositories/hashed-folders.js';
export { ProjectStorage, type StoredProject } from './repositories/project-storage.js';
export {
  findUnreachable,
  type UnreachableRepository,
} from './repositories/unreachable-repositories.js';
export { PushLock } from './repositories/push-lock.js';
export { pushLimitsOf } from './repositories/push-limits.js';
export { ProjectMeasurement } from './quota/project-measurement.js';
export { ProjectSize, StorageReservation } from './quota/project-size.entity.js';
export { ProjectSizesRepository, type StorageUsage } from './quota/project-sizes.repository.js';
export { storageLimitText } from './quota/storage-limit-text.js';
export { isStorageLimit, type Reservation, StorageQuota } from './quota/storage-quota.js';
export { REPOSITORY_LOCK } from './repositories/free-locks.query.js';
export { BACKUP_LOCK, RepositoryLocks } from './repositories/repository-locks.repository.js';
export { type Upload, UploadStorage } from './upload-storage.js';
export { UploadReceiver } from './uploads/upload-receiver.js';
export { UploadsService } from './uploads/uploads.service.js';
