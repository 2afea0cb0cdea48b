import { Injectable } from '@nestjs/common';
import { conflict, notFound } from '../../../platform/errors/index.js';
import { reference } from '../../../platform/http/index.js';
import { randomToken, Secrets } from '../../../platform/secrets/index.js';
import { type Namespace, NamespacesRepository } from '../../groups/index.js';
import { SettingsService } from '../../settings/index.js';
import type { User } from '../../users/index.js';
import { ProjectPlacement } from '../project-placement.js';
import { ProjectStorage } from '../project-storage.js';
import type { Project } from '../project.entity.js';
import type { NewProject } from '../projects.repository.js';
import { loweredVisibility } from '../visibility.policy.js';

/** Works out what a fork is to be like, or says why there can be none. */
@Injectable()
export class ForkDrafts {
  constructor(
    private readonly namespaces: NamespacesRepository,
    private readonly placement: ProjectPlacement,
    private readonly settings: SettingsService,
    private readonly storage: ProjectStorage,
    private readonly secrets: Secrets,
  ) {}

  /**
   * In the unit of work that makes the fork: the target namespace stays locked.
   * @param target ID, path or name; the caller's own namespace when absent
   * @throws DomainError not found, conflict, limit reached
   */
  async prepare(caller: User, source: Project, target: string | undefined): Promise<NewProject> {
    const namespace = await this.enter(caller, target);
    const { name, path } = source;
    const taken = await this.placement.takenErrors(namespace.id, { name, path });
    if (Object.keys(taken).length > 0) throw conflict(taken);
    await this.placement.checkQuota(caller, namespace);
    const settings = await this.settings.current();
    return {
      name,
      path,
      description: source.description,
      sharedRunnersEnabled: source.sharedRunnersEnabled,
      buildsEnabled: source.buildsEnabled,
      initialBranch: source.initialBranch,
      namespaceId: namespace.id,
      creatorId: caller.id,
      visibilityLevel: loweredVisibility(source.visibilityLevel, { caller, namespace, settings }),
      repositoryState: 'copying',
      storage: this.storage.choose(settings.repositoryStorages),
      runnersTokenSealed: this.secrets.seal(randomToken()),
    };
  }

  /** A namespace that one may not create projects in is as good as none. */
  private async enter(caller: User, target: string | undefined): Promise<Namespace> {
    const id = target === undefined ? undefined : await this.idOf(target);
    const namespace = id === null ? null : await this.placement.enter(caller, id);
    if (namespace === null) throw notFound('Target Namespace');
    return namespace;
  }

  private async idOf(target: string): Promise<number | null> {
    const asked = reference(target);
    if (asked.by === 'id') return asked.id;
    return (await this.namespaces.findByPathOrName(asked.path))?.id ?? null;
  }
}
