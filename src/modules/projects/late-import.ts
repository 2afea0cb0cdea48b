import { Injectable } from '@nestjs/common';
import { TAG_PREFIX } from '../../git/index.js';
import type { FieldTexts } from '../../platform/errors/index.js';
import { ActivityLog } from '../activity/index.js';
import type { User } from '../users/index.js';
import type { ImportSource } from './imports/import-source.js';
import { ProjectImports } from './imports/project-imports.js';
import { ProjectStorage } from './project-storage.js';
import type { Project } from './project.entity.js';
import { ProjectsRepository } from './projects.repository.js';

/** Fills the empty repository of a project that is there already (`import_url` on a change). */
@Injectable()
export class LateImport {
  constructor(
    private readonly imports: ProjectImports,
    private readonly projects: ProjectsRepository,
    private readonly storage: ProjectStorage,
    private readonly activity: ActivityLog,
  ) {}

  /** @throws DomainError invalid record */
  parse(url: string): ImportSource {
    return this.imports.parse(url);
  }

  /** Call with the repository locked. */
  async errors(project: Project): Promise<FieldTexts> {
    const repository = this.storage.repository(project);
    const isEmpty =
      (await repository.isEmpty()) && (await repository.refs.list(TAG_PREFIX)).length === 0;
    return project.repositoryState === 'ready' && isEmpty
      ? {}
      : { import_url: ['is not allowed unless the repository is empty'] };
  }

  /** In the caller's unit of work; an import that failed before is forgotten. */
  async begin(project: Project, user: User, source: ImportSource): Promise<void> {
    await this.projects.forgetImport(project.id);
    await this.imports.begin(project, user, source);
    const { id: projectId } = project;
    await this.activity.record([{ projectId, authorId: user.id, action: 'imported' }]);
  }
}
