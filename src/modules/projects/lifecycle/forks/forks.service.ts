import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../../platform/database/index.js';
import {
  assertValid,
  invalidFields,
  notFound,
  notModified,
} from '../../../../platform/errors/index.js';
import { DomainEvents } from '../../../../platform/events/index.js';
import { reference } from '../../../../platform/http/index.js';
import { Outbox } from '../../../../platform/queue/index.js';
import { ProjectAccessRepository } from '../../../authorization/index.js';
import { type Namespace, NamespacesRepository } from '../../../groups/index.js';
import { SettingsService } from '../../../settings/index.js';
import type { User } from '../../../users/index.js';
import type { ProjectWithRelations } from '../../model/project-relations.js';
import { ProjectCreationService, type ProjectDraft } from '../project-creation.service.js';
import type { Project } from '../../model/project.entity.js';
import { ForksDetached } from '../../model/project.events.js';
import {
  loweredVisibility,
  projectProblems,
  takenFieldOf,
  takenFields,
} from '../../model/project.rules.js';
import { ProjectsRepository } from '../../model/projects.repository.js';
import { alreadyForked, forkNameTaken } from '../../model/refusals.js';
import { ProjectsService } from '../../projects.service.js';
import { copyRepository } from './copy-repository.job.js';
import type { ForkLink } from '../../model/project-links.entity.js';
import { ForksRepository } from './forks.repository.js';

/** The texts of a fork that differ from those of its source. */
export type ForkTexts = Partial<Record<'name' | 'path' | 'description', string | undefined>>;

/** Forks and fork relations (docs/reference/projects.md#forks). */
@Injectable()
export class ForksService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly forks: ForksRepository,
    private readonly projects: ProjectsRepository,
    private readonly access: ProjectAccessRepository,
    private readonly projectsService: ProjectsService,
    private readonly creation: ProjectCreationService,
    private readonly namespaces: NamespacesRepository,
    private readonly settings: SettingsService,
    private readonly events: DomainEvents,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Forks a project; a job fills the fork's repository.
   * @param target ID, path or name of the namespace; the caller's own when undefined
   * @param texts those of the source where they are undefined
   * @throws DomainError not found, invalid fields, fork name taken, project limit reached
   */
  async fork(
    caller: User,
    sourceId: number,
    target: string | undefined,
    texts: ForkTexts = {},
  ): Promise<ProjectWithRelations> {
    try {
      return await this.work.run(async () => {
        const id = await this.createFork(caller, sourceId, target, texts);
        // Within the unit of work, since another request may delete the fork right after the commit.
        return this.projectsService.read(id, { reader: caller });
      });
    } catch (error) {
      const taken = takenFieldOf(error);
      throw taken === null ? error : forkNameTaken([taken]);
    }
  }

  /**
   * Makes an existing project a fork of another one.
   * @param source ID or full path of the other one
   * @throws DomainError invalid fields, not found, already forked
   */
  async relate(projectId: number, source: string): Promise<ForkLink> {
    const access = await this.access.findByReference(null, source);
    if (access === null) throw notFound('project');
    const sourceId = access.project.id;
    return this.work.run(async () => {
      if (projectId === sourceId) {
        throw invalidFields({ forkedFromProjectId: [{ rule: 'invalid' }] });
      }
      if (!(await this.forks.lockBoth(projectId, sourceId))) throw notFound('project');
      const link = await this.forks.insert(projectId, sourceId);
      if (link === null) throw alreadyForked();
      return link;
    });
  }

  /**
   * Removes a fork relation.
   * @throws DomainError not modified: the project is not a fork
   */
  unrelate(projectId: number, actor: User): Promise<ForkLink> {
    return this.work.run(async () => {
      const link = await this.forks.remove(projectId);
      if (link === null) throw notModified();
      await this.events.publish(new ForksDetached([projectId], actor.id));
      return link;
    });
  }

  private async createFork(
    caller: User,
    sourceId: number,
    target: string | undefined,
    texts: ForkTexts,
  ): Promise<number> {
    const source = await this.projects.findById(sourceId);
    if (source === null) throw notFound('project');
    const { name = source.name, path = source.path, description = source.description } = texts;
    assertValid(projectProblems({ name, path, description }));
    const namespace = await this.lockNamespace(caller, target);
    const taken = takenFields(await this.projects.findTaken(namespace.id, { name, path }));
    if (taken.length > 0) throw forkNameTaken(taken);
    await this.creation.checkQuota(caller, namespace, caller);
    const settings = await this.settings.current();
    if (await this.forks.isForkedInto(sourceId, namespace.id)) {
      throw forkNameTaken(['name', 'path']);
    }
    const limits = { caller, namespace, settings };
    const draft: ProjectDraft = {
      ...copiedColumns(source),
      name,
      path,
      description,
      namespaceId: namespace.id,
      creatorId: caller.id,
      visibility: loweredVisibility(source.visibility, limits),
      repositoryState: 'copying',
    };
    const { id } = await this.creation.insert(draft, settings, 'created');
    // The source may have been deleted or lowered before it was locked.
    if (!(await this.forks.lockBoth(id, sourceId))) throw notFound('project');
    await this.forks.insert(id, sourceId);
    const ofSource = await this.projects.findSourceVisibility(id);
    const visibility = loweredVisibility(draft.visibility, { ...limits, ofSource });
    if (visibility !== draft.visibility) {
      await this.projects.update(id, { visibility });
    }
    await this.outbox.add(copyRepository.with({ projectId: id, sourceId }));
    return id;
  }

  /** A namespace in which the caller may not create projects is reported as missing. */
  private async lockNamespace(caller: User, target: string | undefined): Promise<Namespace> {
    const id = target === undefined ? undefined : await this.findNamespaceId(target);
    const namespace = id === null ? null : await this.creation.lockNamespace(caller, id);
    if (namespace === null) throw notFound('target-namespace');
    return namespace;
  }

  private async findNamespaceId(target: string): Promise<number | null> {
    const parsed = reference(target);
    if (parsed.by === 'id') return parsed.id;
    return (await this.namespaces.findByPathOrName(parsed.path))?.id ?? null;
  }
}

/** Returns the columns that a fork takes from its source, besides its texts. */
function copiedColumns(source: Project) {
  const { sharedRunnersEnabled, buildsEnabled, initialBranch } = source;
  return { sharedRunnersEnabled, buildsEnabled, initialBranch };
}
