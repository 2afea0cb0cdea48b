export {
  DeployKeyProject,
  ForkLink,
  ProjectMember,
  ProjectShare,
  ProjectStar,
} from './model/project-links.entity.js';
export { DeployKeysService } from './access/deploy-keys/deploy-keys.service.js';
export { ProjectMembersRepository } from './access/members/project-members.repository.js';
export { ProjectsService } from './projects.service.js';
export { ProjectListsRepository } from './lists/project-lists.repository.js';
export { GroupProjectsService } from './lists/group-projects.service.js';
export { ProjectCreationService } from './lifecycle/project-creation.service.js';
export { RemoveOrphanedRepositoriesJob } from './lifecycle/deletion/remove-orphaned-repositories.job.js';
export {
  type ImportedProjectInput,
  OperatorImportsService,
  type OperatorSource,
  type Presence,
} from './lifecycle/operator-imports.service.js';
export { ForksRepository } from './lifecycle/forks/forks.repository.js';
export { ProjectImport } from './lifecycle/imports/project-import.entity.js';
export { RepositoryReadiness } from './lifecycle/repository-readiness.js';
export {
  type EventTarget,
  type EventTargetProvider,
  type EventVisibility,
  ProvidesEventTargets,
  type TargetNote,
  type TargetSource,
} from './feeds/event-targets.js';
export { COMMIT_NOTE } from './feeds/feeds.repository.js';
export { NoteView, presentNote } from './feeds/note.view.js';
export { checkoutSha } from './feeds/push-data.view.js';
export { GroupProjectsModule, ProjectsModule } from './projects.module.js';
export { ProjectPayloadBuilder } from './presentation/project-payload.view.js';
export { ProjectRelations } from './presentation/project-relations.js';
export { BriefProjectView, ProjectPresenter, ProjectView } from './presentation/project.view.js';
export { canBeDefaultBranch, namesOf } from './model/project.rules.js';
export { Project } from './model/project.entity.js';
export {
  ForksDetached,
  ProjectCreated,
  ProjectMoved,
  ProjectsRemoved,
  RepositoryCopied,
  RepositoryImported,
} from './model/project.events.js';
export { listActiveProjects, type MaintainedProject } from './model/maintained-projects.query.js';
export { type PayloadProject, ProjectsRepository } from './model/projects.repository.js';
export { RefMove } from './storage/ref-move.entity.js';
export { RefMovesRepository } from './storage/ref-moves.repository.js';
export { PointHeadJob } from './storage/point-head.job.js';
export { hashedFolder, repositoryFolder } from './storage/hashed-folders.js';
export { ProjectStorage, type StoredProject } from './storage/project-storage.js';
export { findUnreachable, type UnreachableRepository } from './storage/unreachable-repositories.js';
export { pushLimitsOf } from './storage/push-limits.js';
export { ProjectMeasurement } from './storage/quota/project-measurement.js';
export { ProjectSize, StorageReservation } from './storage/quota/project-size.entity.js';
export {
  ProjectSizesRepository,
  type StorageUsage,
} from './storage/quota/project-sizes.repository.js';
export { isStorageLimit, type Reservation, StorageQuota } from './storage/quota/storage-quota.js';
export { REPOSITORY_LOCK } from './storage/free-locks.query.js';
export { BACKUP_LOCK, RepositoryLocks } from './storage/repository-locks.repository.js';
export type { Upload } from './storage/upload-storage.js';
export { RemoveOrphanedUploadsJob } from './storage/uploads/remove-orphaned-uploads.job.js';
export { UploadReceiver } from './storage/uploads/upload-receiver.js';
export { UploadsService } from './storage/uploads/uploads.service.js';
