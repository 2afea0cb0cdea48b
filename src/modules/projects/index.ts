export { DeployKeyProject, ForkLink, ProjectStar } from './model/project-links.entity.js';
export { DeployKeysService } from './deploy-keys/deploy-keys.service.js';
export { ProjectsService } from './projects.service.js';
export { ProjectListsRepository } from './lists/project-lists.repository.js';
export { GroupProjectsService } from './lists/group-projects.service.js';
export { ProjectCreationService } from './lifecycle/project-creation.service.js';
export { RemoveOrphanedRepositoriesJob } from './lifecycle/deletion/remove-orphaned-repositories.job.js';
export {
  OperatorImportsService,
  type OperatorSource,
} from './lifecycle/operator-imports.service.js';
export { FirstCommits } from './lifecycle/first-commits.js';
export { ForksRepository } from './lifecycle/forks/forks.repository.js';
export { ProjectImport } from './lifecycle/imports/project-import.entity.js';
export { RepositoryReadiness } from './lifecycle/repository-readiness.js';
export { GroupProjectsModule, ProjectsModule } from './projects.module.js';
export {
  fullPathOf,
  ProjectRelations,
  type ProjectWithRelations,
} from './model/project-relations.js';
export { canBeDefaultBranch, MAX_REQUIRED_APPROVALS, namesOf } from './model/project.rules.js';
export { type MergeMethod, Project, type SquashOption } from './model/project.entity.js';
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
export { PointHeadJob } from './lifecycle/point-head.job.js';
export { RemoveOrphanedUploadsJob } from './lifecycle/deletion/remove-orphaned-uploads.job.js';
export { Topic } from './topics/topic.entity.js';
