import { Injectable } from '@nestjs/common';
import { RemoteError } from '../../../git/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import type { User } from '../../users/index.js';
import type { Project } from '../model/project.entity.js';
import type { CreateProjectInput } from '../model/project.rules.js';
import { ProjectsRepository } from '../model/projects.repository.js';
import { expectedFailure, ImportRunner, type RepositorySource } from './imports/import-runner.js';
import { ImportsRepository } from './imports/imports.repository.js';
import { ProjectCreationService } from './project-creation.service.js';

/** A new project for an operator's import. */
interface ImportedProjectInput extends CreateProjectInput {
  path: string;
  namespaceId: number;
}

/** Where an operator's import comes from. Its credentials are not stored. */
export interface OperatorSource {
  /** Without user name and password. By it a repetition knows the projects that it has made. */
  readonly address: string;
  readonly repository: RepositorySource;
}

/** What an operator's import finds at its address: nothing, its own project, or one that has nothing to do with it. */
type Presence = 'absent' | 'unfinished' | 'finished' | 'foreign';

/**
 * Imports that an operator's command carries out itself: from folders of this machine and from addresses that users may
 * not name. One that was killed is continued by its repetition.
 */
@Injectable()
export class OperatorImportsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly projects: ProjectsRepository,
    private readonly creation: ProjectCreationService,
    private readonly imports: ImportsRepository,
    private readonly runner: ImportRunner,
  ) {}

  /** Finds the project with a path in a namespace, and whether it is one of the import from this address. */
  async find(
    { namespaceId, path }: Pick<ImportedProjectInput, 'namespaceId' | 'path'>,
    address: string,
  ): Promise<{ readonly project: Project | null; readonly presence: Presence }> {
    const project = await this.projects.findByPath(namespaceId, path);
    if (project === null) return { project, presence: 'absent' };
    const found = await this.imports.find(project.id);
    if (found?.address !== address) return { project, presence: 'foreign' };
    return { project, presence: found.state === 'finished' ? 'finished' : 'unfinished' };
  }

  /**
   * Creates a project whose repository is to be filled by `fill`.
   * @throws DomainError as the creation of a project
   */
  create(
    creator: User,
    input: ImportedProjectInput,
    { address }: OperatorSource,
  ): Promise<Project> {
    return this.work.run(async () => {
      const { project } = await this.creation.create(creator, input);
      await this.insertImport(project.id, creator.id, address);
      return project;
    });
  }

  /**
   * Fills the repository of an import that has not finished, also if it has failed before.
   * @returns why it has failed, null if it has not
   * @throws what the service is to blame for; repeat it then
   */
  async fill({ id, creatorId }: Project, source: OperatorSource): Promise<string | null> {
    const running = await this.work.run(async () => {
      const known = await this.imports.find(id);
      if (known?.state === 'failed') await this.imports.removeEnded(id);
      if (known === null || known.state === 'failed') {
        await this.insertImport(id, creatorId, source.address);
      }
      return this.imports.start(id);
    });
    if (running === null) return null;
    try {
      await this.runner.fetch(running, source.repository);
      await this.runner.finish(running);
      return null;
    } catch (error) {
      const failure = expectedFailure(error);
      if (failure === null) throw error;
      await this.runner.fail(id, failure);
      const detail = error instanceof RemoteError ? error.detail : undefined;
      return detail === undefined ? failure : `${failure}: ${detail}`;
    }
  }

  private insertImport(projectId: number, userId: number, address: string): Promise<void> {
    const { host } = new URL(address);
    return this.imports.insert(projectId, userId, { address, host, credentials: null });
  }
}
