import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../../platform/database/index.js';
import { notFound } from '../../../../platform/errors/index.js';
import { DomainEvents, OnDomainEvent } from '../../../../platform/events/index.js';
import { Outbox } from '../../../../platform/queue/index.js';
import type { ProjectRef } from '../../../authorization/index.js';
import { AuditLog } from '../../../audit/index.js';
import { NamespaceDeleted } from '../../../groups/index.js';
import type { StoredProject } from '../../../storage/index.js';
import { DeployKeysService } from '../../deploy-keys/deploy-keys.service.js';
import { onProject } from '../../model/project-records.js';
import { ForksDetached, ProjectsRemoved } from '../../model/project.events.js';
import { ProjectDeletionRepository } from './project-deletion.repository.js';
import { purgeProject } from './purge-project.job.js';

/** Deleting projects, alone or with their namespace (docs/reference/projects.md#delete-projectsid). */
@Injectable()
export class ProjectDeletionService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly deletions: ProjectDeletionRepository,
    private readonly deployKeys: DeployKeysService,
    private readonly events: DomainEvents,
    private readonly outbox: Outbox,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Deletes a project: hides it at once, and leaves its repository and rows to a job.
   * @throws DomainError not found when it is deleted already
   */
  delete({ id, path, namespacePath }: ProjectRef, actorId: number): Promise<void> {
    return this.work.run(async () => {
      const project = await this.deletions.hide(id);
      if (project === null) throw notFound('project');
      await this.finishDeletion([project], actorId);
      const target = onProject(id, `${namespacePath}/${path}`);
      await this.audit.record({ action: 'project.deleted', ...target });
    });
  }

  /** Deletes the projects of a deleted namespace, in the same unit of work. */
  @OnDomainEvent(NamespaceDeleted)
  async deleteAllInNamespace({ namespaceId }: NamespaceDeleted): Promise<void> {
    const projects = await this.deletions.hideAllIn(namespaceId);
    if (projects.length > 0) await this.finishDeletion(projects, null);
  }

  private async finishDeletion(
    hidden: readonly StoredProject[],
    actorId: number | null,
  ): Promise<void> {
    const ids = hidden.map(({ id }) => id);
    await this.deletions.detachForks(ids);
    // At most 500 keys; `PurgeProjectJob` unlinks the rest.
    await this.deployKeys.unlinkSomeOf(ids);
    await this.events.publish(new ForksDetached(ids, actorId));
    await this.events.publish(new ProjectsRemoved(ids));
    await this.outbox.addAll(
      hidden.map(({ id: projectId, storage }) => purgeProject.with({ projectId, storage })),
    );
  }
}
