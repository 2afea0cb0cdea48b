import { Injectable } from '@nestjs/common';
import { type FieldTexts, invalidRecord } from '../../platform/errors/index.js';
import { randomToken, Secrets } from '../../platform/secrets/index.js';
import type { Namespace } from '../groups/index.js';
import { type ApplicationSettings, levelOfSetting, SettingsService } from '../settings/index.js';
import type { User } from '../users/index.js';
import { branchErrors, pathFromName, projectErrors } from './project-name.js';
import { ProjectPlacement } from './project-placement.js';
import { ProjectStorage } from './project-storage.js';
import type { Project } from './project.entity.js';
import type { NewProject } from './projects.repository.js';
import { loweredVisibility, visibilityErrors } from './visibility.policy.js';

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

/** What may be said of a project when it is made and when it is changed. */
export interface ProjectSettings {
  description?: string | null | undefined;
  visibilityLevel?: number | undefined;
  /** Where to copy the repository from. */
  importUrl?: string | undefined;
  switches: Partial<ProjectSwitches>;
}

export interface CreateProjectInput extends ProjectSettings {
  name: string;
  /** Made from the name when absent. */
  path?: string | undefined;
  /** The caller's personal namespace when absent. */
  namespaceId?: number | undefined;
  /** The branch that the first commit is to make the default one; `master` when absent. */
  initialBranch?: string | undefined;
}

/** Turns what a caller asks for into a project that may be made, or says why it may not. */
@Injectable()
export class ProjectDrafts {
  constructor(
    private readonly placement: ProjectPlacement,
    private readonly settings: SettingsService,
    private readonly storage: ProjectStorage,
    private readonly secrets: Secrets,
  ) {}

  /**
   * In the unit of work that makes the project: the namespace stays locked.
   * @throws DomainError invalid record: every field that breaks a rule of
   * docs/reference/projects.md#names; limit reached
   */
  async prepare(caller: User, input: CreateProjectInput): Promise<NewProject> {
    const namespace = await this.placement.enter(caller, input.namespaceId);
    if (namespace !== null) await this.placement.checkQuota(caller, namespace);
    const settings = await this.settings.current();
    const texts = {
      name: input.name,
      path: input.path ?? pathFromName(input.name),
      description: input.description ?? null,
    };
    const errors = {
      ...projectErrors(texts),
      ...(input.initialBranch === undefined ? {} : branchErrors(input.initialBranch)),
      ...(namespace === null ? { namespace: ['is not valid'] } : {}),
    };
    if (namespace === null) throw invalidRecord(errors);
    const place = { caller, namespace, settings };
    const further = await this.errorsThere(place, texts, input.visibilityLevel);
    if (Object.keys({ ...errors, ...further }).length > 0) {
      throw invalidRecord({ ...errors, ...further });
    }
    const wanted = levelOfSetting(settings.defaultProjectVisibility);
    return {
      ...texts,
      ...input.switches,
      namespaceId: namespace.id,
      creatorId: caller.id,
      visibilityLevel: input.visibilityLevel ?? loweredVisibility(wanted, place),
      initialBranch: input.initialBranch ?? null,
      storage: this.storage.choose(settings.repositoryStorages),
      runnersTokenSealed: this.secrets.seal(randomToken()),
    };
  }

  private async errorsThere(
    place: { caller: User; namespace: Namespace; settings: ApplicationSettings },
    texts: { name: string; path: string },
    visibilityLevel: number | undefined,
  ): Promise<FieldTexts> {
    const visibility =
      visibilityLevel === undefined ? [] : visibilityErrors(visibilityLevel, place);
    return {
      ...(await this.placement.takenErrors(place.namespace.id, texts)),
      ...(visibility.length === 0 ? {} : { visibility_level: visibility }),
    };
  }
}
