import { Injectable } from '@nestjs/common';
import { invalidRecord, limitReached } from '../../platform/errors/index.js';
import { randomToken, Secrets } from '../../platform/secrets/index.js';
import { type Namespace, NamespacesRepository } from '../groups/index.js';
import { SettingsService } from '../settings/index.js';
import { type User, UsersRepository } from '../users/index.js';
import { pathFromName, projectErrors } from './project-name.js';
import type { Project } from './project.entity.js';
import type { NewProject } from './projects.repository.js';

export type ProjectSwitches = Pick<
  Project,
  | 'issuesEnabled'
  | 'mergeRequestsEnabled'
  | 'wikiEnabled'
  | 'buildsEnabled'
  | 'snippetsEnabled'
  | 'containerRegistryEnabled'
  | 'sharedRunnersEnabled'
  | 'publicBuilds'
  | 'lfsEnabled'
  | 'requestAccessEnabled'
  | 'onlyAllowMergeIfBuildSucceeds'
  | 'onlyAllowMergeIfAllDiscussionsAreResolved'
>;

export interface CreateProjectInput {
  name: string;
  /** Made from the name when absent. */
  path?: string | undefined;
  /** The caller's personal namespace when absent. */
  namespaceId?: number | undefined;
  description?: string | null | undefined;
  /** The instance's setting when absent. */
  visibilityLevel?: number | undefined;
  switches: Partial<ProjectSwitches>;
}

/** Settings speak of 0, 1, 2 where projects speak of 0, 10, 20 (open points 09). */
const SETTING_TO_LEVEL = 10;

/** Turns what a caller asks for into a project that may be made, or says why it may not. */
@Injectable()
export class ProjectDrafts {
  constructor(
    private readonly namespaces: NamespacesRepository,
    private readonly users: UsersRepository,
    private readonly settings: SettingsService,
    private readonly secrets: Secrets,
  ) {}

  /** @throws DomainError invalid record: every field that breaks a rule of open points 5.11 */
  async prepare(caller: User, input: CreateProjectInput): Promise<NewProject> {
    const texts = {
      name: input.name,
      path: input.path ?? pathFromName(input.name),
      description: input.description ?? null,
    };
    const errors = projectErrors(texts);
    const namespace = await this.namespaceFor(caller, input.namespaceId);
    if (namespace === null) errors['namespace'] = ['is not valid'];
    if (namespace === null || Object.keys(errors).length > 0) throw invalidRecord(errors);
    const { defaultProjectVisibility } = await this.settings.current();
    return {
      ...texts,
      ...input.switches,
      namespaceId: namespace.id,
      creatorId: caller.id,
      visibilityLevel: input.visibilityLevel ?? defaultProjectVisibility * SETTING_TO_LEVEL,
      runnersTokenSealed: this.secrets.seal(randomToken()),
    };
  }

  /**
   * Call with the namespace locked, so that two creations cannot both take the last place.
   * @throws DomainError limit reached (open points 1.5, 5.11: administrators are exempt)
   */
  async checkQuota(caller: User, { namespaceId }: NewProject): Promise<void> {
    const namespace = await this.namespaces.findById(namespaceId);
    if (caller.admin || namespace?.ownerId !== caller.id) return;
    const limit = caller.projectsLimit;
    if ((await this.users.countPersonalProjects(caller.id)) < limit) return;
    throw limitReached(limit === 0 ? NO_PROJECTS : limitText(limit));
  }

  /** Null when there is no such namespace, or none the caller may create projects in. */
  private async namespaceFor(caller: User, id: number | undefined): Promise<Namespace | null> {
    if (id === undefined) return this.namespaces.findPersonal(caller.id);
    const namespace = await this.namespaces.findById(id);
    return caller.admin || namespace?.ownerId === caller.id ? namespace : null;
  }
}

const NO_PROJECTS =
  'Personal project creation is not allowed. Please contact your administrator with questions';

function limitText(limit: number): string {
  return `Your project limit is ${String(limit)} projects! Please contact your administrator to increase it`;
}
