import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { conflict, invalidRecord, notFound, notModified } from '../../../platform/errors/index.js';
import { DomainEvents } from '../../activity/index.js';
import type { User } from '../../users/index.js';
import type { ProjectWithRelations } from '../project-relations.js';
import { ProjectsService } from '../projects.service.js';
import { takenFieldsOf } from '../taken-name.js';
import type { ForkLink } from './fork-link.entity.js';
import { ForksDetached } from './fork.events.js';
import { ForkLinksRepository } from './fork-links.repository.js';
import { MakeFork } from './make-fork.js';

/** Forks, and the relation between a fork and what it was made from (docs/reference/projects.md#forks). */
@Injectable()
export class ForksService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly making: MakeFork,
    private readonly links: ForkLinksRepository,
    private readonly projects: ProjectsService,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Makes a fork at once; its repository is filled in the background.
   * @param namespace ID, path or name of the target; the caller's own when absent
   * @throws DomainError not found, conflict (409), limit reached (403)
   */
  async fork(
    caller: User,
    sourceId: number,
    namespace: string | undefined,
  ): Promise<ProjectWithRelations> {
    try {
      return await this.work.run(async () => {
        const id = await this.making.run(caller, sourceId, namespace);
        // Here, since right after the commit somebody may delete it.
        return this.projects.read(id, { reader: caller });
      });
    } catch (error) {
      const taken = takenFieldsOf(error);
      throw taken === null ? error : conflict(taken);
    }
  }

  /** Declares an existing project a fork of another one. @throws DomainError not found, conflict */
  relate(projectId: number, sourceId: number): Promise<ForkLink> {
    return this.work.run(async () => {
      if (projectId === sourceId) throw invalidRecord({ forked_from_project_id: ['is invalid'] });
      if (!(await this.links.lockBoth(projectId, sourceId))) throw notFound('Project');
      const link = await this.links.insert(projectId, sourceId);
      if (link === null) throw conflict('Project already forked');
      return link;
    });
  }

  /** Lets a fork be a project of its own. @throws DomainError not modified: it is none */
  unrelate(projectId: number, actor: User): Promise<ForkLink> {
    return this.work.run(async () => {
      const link = await this.links.remove(projectId);
      if (link === null) throw notModified();
      await this.events.publish(new ForksDetached([projectId], actor.id));
      return link;
    });
  }
}
