import { Injectable } from '@nestjs/common';
import { type FieldTexts, limitReached } from '../../platform/errors/index.js';
import { Level } from '../access/index.js';
import { type Namespace, NamespacesRepository } from '../groups/index.js';
import { type User, UsersRepository } from '../users/index.js';
import { ProjectsRepository } from './projects.repository.js';
import { TAKEN } from './taken-name.js';

const WIKI = /\.wiki$/i;

/**
 * Where projects may be put: rights, quota and names in namespaces
 * (docs/reference/projects.md#post-projects and docs/reference/projects.md#quota).
 */
@Injectable()
export class ProjectPlacement {
  constructor(
    private readonly namespaces: NamespacesRepository,
    private readonly users: UsersRepository,
    private readonly projects: ProjectsRepository,
  ) {}

  /**
   * Locks a namespace to the end of the unit of work: creations in it, quota checks and its removal
   * wait for each other. Null when there is none, or none the caller may create projects in: one's
   * own, a group in which one is master, any for administrators.
   * @param id the caller's personal namespace when absent
   */
  async enter(caller: User, id: number | undefined): Promise<Namespace | null> {
    const target = id ?? (await this.namespaces.findPersonal(caller.id))?.id;
    const namespace = target === undefined ? null : await this.namespaces.lock(target);
    if (namespace === null || caller.admin || namespace.ownerId === caller.id) return namespace;
    const level = await this.projects.levelInGroup(caller.id, namespace.id);
    return level >= Level.MASTER ? namespace : null;
  }

  /**
   * Call with the namespace locked, so that two creations cannot both take the last place.
   * @throws DomainError limit reached (docs/reference/projects.md#quota): group projects are free,
   * administrators exempt
   */
  async checkQuota(caller: User, namespace: Namespace): Promise<void> {
    if (caller.admin || namespace.ownerId !== caller.id) return;
    const limit = caller.projectsLimit;
    if ((await this.users.countPersonalProjects(caller.id)) < limit) return;
    throw limitReached(limit === 0 ? NO_PROJECTS : limitText(limit));
  }

  /**
   * Returns errors for a name or path already used in the namespace; the path of another project's wiki
   * counts as used. Call with the namespace locked, so that they cannot be taken afterwards.
   * @param texts.id the project itself, when it is in the namespace already
   */
  async takenErrors(
    namespaceId: number,
    { id, name, path }: { id?: number; name?: string | undefined; path?: string | undefined },
  ): Promise<FieldTexts> {
    const paths = path === undefined ? [] : [path, path.replace(WIKI, '')];
    const taken = await this.projects.taken(namespaceId, { id, name, paths });
    return {
      ...(taken.name ? { name: TAKEN } : {}),
      ...(taken.path ? { path: TAKEN } : {}),
    };
  }
}

const NO_PROJECTS =
  'Personal project creation is not allowed. Please contact your administrator with questions';

function limitText(limit: number): string {
  return `Your project limit is ${String(limit)} projects! Please contact your administrator to increase it`;
}
