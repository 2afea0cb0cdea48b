import { Injectable } from '@nestjs/common';
import { TAG_PREFIX } from '../../../git/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { absent, conflict, forbidden, ruleViolated } from '../../../platform/errors/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ProjectStorage, RepositoryLocks } from '../../projects/index.js';
import { ReleasesRepository } from './releases.repository.js';

const MAX_NAME = 255;

/**
 * Writes about the versions that tags mark
 * (docs/reference/tags.md#post-projectsidrepositorytagstag_namerelease).
 */
@Injectable()
export class ReleasesService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly locks: RepositoryLocks,
    private readonly releases: ReleasesRepository,
    private readonly storage: ProjectStorage,
  ) {}

  /** @throws DomainError absent, conflict, forbidden */
  create(project: ProjectRef, tag: string, description: string): Promise<void> {
    return this.beside(project, tag, async () => {
      if (tag.length > MAX_NAME) throw ruleViolated('Tag name invalid');
      const isNew = await this.releases.add(project.id, tag, description);
      if (!isNew) throw conflict('Release already exists');
    });
  }

  /** @throws DomainError absent, forbidden */
  update(project: ProjectRef, tag: string, description: string): Promise<void> {
    return this.beside(project, tag, async () => {
      const isThere = await this.releases.update(project.id, tag, description);
      if (!isThere) throw absent('Release does not exist');
    });
  }

  /** Nobody takes the tag away meanwhile, and the release with it. */
  private beside(project: ProjectRef, tag: string, write: () => Promise<void>): Promise<void> {
    if (project.archived) throw forbidden();
    return this.work.run(async () => {
      await this.locks.take(project.id);
      const target = await this.storage.repository(project).refs.get(TAG_PREFIX + tag);
      if (target === null) throw absent('Tag does not exist');
      await write();
    });
  }
}
