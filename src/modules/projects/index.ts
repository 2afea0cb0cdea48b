export { DeployKeyProject } from './deploy-keys/deploy-key-project.entity.js';
export { DeployKeysService } from './deploy-keys/deploy-keys.service.js';
export {
  type EventTarget,
  type EventTargetProvider,
  ProvidesEventTargets,
  type EventVisibility,
  type TargetNote,
  type TargetSource,
} from './feeds/event-targets.js';
export { COMMIT_NOTE } from './feeds/event-visibility.js';
export { NoteView } from './feeds/event.view.js';
export { presentNote } from './feeds/note.presenter.js';
export { checkoutSha } from './feeds/push-data.js';
export { ForkLink } from './forks/fork-link.entity.js';
export { ForkLinksRepository } from './forks/fork-links.repository.js';
export { ForksDetached, RepositoryCopied } from './forks/fork.events.js';
export { GroupProjectsModule } from './group-projects/group-projects.module.js';
export { ProjectImport } from './imports/project-import.entity.js';
export { RepositoryImported } from './imports/import.events.js';
export { ProjectMember } from './members/project-member.entity.js';
export { ProjectUsersRepository } from './members/project-users.repository.js';
export { type PayloadProject, ProjectObjects } from './project-objects.js';
export { type BriefProject, ProjectRelations } from './project-relations.js';
export { ProjectStorage, type StoredProject } from './project-storage.js';
export { ProjectPresenter } from './project.presenter.js';
export { BriefProjectView } from './project.view.js';
export { Project } from './project.entity.js';
export { ProjectCreated, ProjectMoved, ProjectsRemoved } from './project.events.js';
export { ProjectMeasurement } from './quota/project-measurement.js';
export { ProjectSize } from './quota/project-size.entity.js';
export { StorageReservation } from './quota/storage-reservation.entity.js';
export { isStorageLimit, type Reservation, StorageQuota } from './quota/storage-quota.js';
export { ProjectsModule } from './projects.module.js';
export { pushLimitsOf } from './push-limits.js';
export { RepositoryLocks } from './repository-locks.js';
export { RepositoryReadiness } from './readiness/repository-readiness.js';
export { ProjectShare } from './shares/project-share.entity.js';
export { ProjectStar } from './stars/project-star.entity.js';
export { ProjectsService } from './projects.service.js';
export type { Upload } from './uploads/project-uploads.js';
export { UploadReceiver } from './uploads/upload-receiver.js';
export { UploadsService } from './uploads/uploads.service.js';
