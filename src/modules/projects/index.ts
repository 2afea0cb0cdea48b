export { DeployKeyProject } from './access/deploy-keys/deploy-key-project.entity.js';
export { DeployKeysService } from './access/deploy-keys/deploy-keys.service.js';
export { ProjectMember } from './access/members/project-member.entity.js';
export { ProjectMembersRepository } from './access/members/project-members.repository.js';
export { ProjectShare } from './access/shares/project-share.entity.js';
export { ProjectCreationService } from './lifecycle/creation/project-creation.service.js';
export { ForkLink } from './lifecycle/forks/fork-link.entity.js';
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
export { COMMIT_NOTE } from './feeds/event-visibility.sql.js';
export { NoteView, presentNote } from './feeds/note.view.js';
export { checkoutSha } from './feeds/push-data.view.js';
export { GroupProjectsModule } from './lists/group-projects/group-projects.module.js';
export { ProjectPayloadBuilder } from './presentation/project-payload-builder.js';
export { type BriefProject, ProjectRelations } from './presentation/project-relations.js';
export { ProjectPresenter } from './presentation/project.presenter.js';
export { BriefProjectView } from './presentation/project.view.js';
export { Project } from './model/project.entity.js';
export {
  ForksDetached,
  ProjectCreated,
  ProjectMoved,
  ProjectsRemoved,
  RepositoryCopied,
  RepositoryImported,
} from './model/project.events.js';
export { ProjectsModule } from './projects.module.js';
export { type PayloadProject } from './model/projects.repository.js';
export { ProjectStar } from './stars/project-star.entity.js';
export { ProjectStorage, type StoredProject } from './storage/project-storage.js';
export { pushLimitsOf } from './storage/push-limits.js';
export { ProjectMeasurement } from './storage/quota/project-measurement.js';
export { ProjectSize } from './storage/quota/project-size.entity.js';
export { isStorageLimit, type Reservation, StorageQuota } from './storage/quota/storage-quota.js';
export { StorageReservation } from './storage/quota/storage-reservation.entity.js';
export { RepositoryLocks } from './storage/repository-locks.repository.js';
export { type Upload } from './storage/upload-storage.js';
export { UploadReceiver } from './storage/uploads/upload-receiver.js';
export { UploadsService } from './storage/uploads/uploads.service.js';
