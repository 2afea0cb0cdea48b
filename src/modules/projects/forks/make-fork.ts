import { Injectable } from '@nestjs/common';
import { conflict, notFound } from '../../../platform/errors/index.js';
import { Outbox } from '../../../platform/queue/index.js';
import type { User } from '../../users/index.js';
import { ProjectFounding } from '../project-founding.js';
import { ProjectsRepository } from '../projects.repository.js';
import { TAKEN } from '../taken-name.js';
import { ForkDrafts } from './fork-drafts.js';
import { ForkLinksRepository } from './fork-links.repository.js';
import { copyRepository } from './fork.jobs.js';

/** Brings a fork into being, in the caller's unit of work. */
@Injectable()
export class MakeFork {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly drafts: ForkDrafts,
    private readonly founding: ProjectFounding,
    private readonly links: ForkLinksRepository,
    private readonly outbox: Outbox,
  ) {}

  /** @returns the fork's ID */
  async run(caller: User, sourceId: number, namespace: string | undefined): Promise<number> {
    const source = await this.projects.findById(sourceId);
    if (source === null) throw notFound('Project');
    const draft = await this.drafts.prepare(caller, source, namespace);
    if (await this.links.isForkedInto(sourceId, draft.namespaceId)) {
      throw conflict({ name: TAKEN, path: TAKEN });
    }
    const { id } = await this.founding.found(draft, 'created');
    // The source may have been deleted since it was looked at.
    if (!(await this.links.lockBoth(id, sourceId))) throw notFound('Project');
    await this.links.insert(id, sourceId);
    await this.outbox.add(copyRepository.with({ projectId: id, sourceId }));
    return id;
  }
}
