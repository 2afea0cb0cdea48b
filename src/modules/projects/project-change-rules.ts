import { Injectable } from '@nestjs/common';
import { type FieldTexts, notFound } from '../../platform/errors/index.js';
import { type Namespace, NamespacesRepository } from '../groups/index.js';
import { SettingsService } from '../settings/index.js';
import type { User } from '../users/index.js';
import { projectErrors } from './project-name.js';
import { ProjectPlacement } from './project-placement.js';
import type { Project } from './project.entity.js';
import { ProjectsRepository } from './projects.repository.js';
import { visibilityErrors } from './visibility.policy.js';

/**
 * Which changes of a project its namespace and the instance allow
 * (docs/reference/projects.md#visibility).
 */
@Injectable()
export class ProjectChangeRules {
  constructor(
    private readonly namespaces: NamespacesRepository,
    private readonly placement: ProjectPlacement,
    private readonly projects: ProjectsRepository,
    private readonly settings: SettingsService,
  ) {}

  /** Locks a project's namespace where its names and visibility matter for a change. */
  async lockPlace(
    namespaceId: number,
    changes: { name?: unknown; path?: unknown; visibilityLevel?: unknown },
  ): Promise<Namespace | null> {
    const { name, path, visibilityLevel } = changes;
    if ([name, path, visibilityLevel].every((value) => value === undefined)) return null;
    const namespace = await this.namespaces.lock(namespaceId);
    if (namespace === null) throw notFound('Project');
    return namespace;
  }

  /**
   * What is wrong with the new values of a project; empty when nothing is.
   * @param locked the namespace the project was in before its own row was locked
   */
  async errors(
    caller: User,
    project: Project,
    values: Partial<Project>,
    locked: Namespace | null,
  ): Promise<FieldTexts> {
    // A transfer may have come in between.
    const moved = project.namespaceId !== locked?.id;
    const namespace = moved ? await this.lockPlace(project.namespaceId, values) : locked;
    const texts = Object.entries(projectErrors({ ...project, ...values }));
    return {
      ...Object.fromEntries(texts.filter(([field]) => field in values)),
      ...(namespace === null ? {} : await this.errorsThere(caller, project, values, namespace)),
    };
  }

  private async errorsThere(
    caller: User,
    project: Project,
    { name, path, visibilityLevel }: Partial<Project>,
    namespace: Namespace,
  ): Promise<FieldTexts> {
    const visibility =
      visibilityLevel === undefined
        ? []
        : visibilityErrors(visibilityLevel, {
            caller,
            namespace,
            settings: await this.settings.current(),
            sourceLevel: await this.projects.sourceVisibility(project.id),
          });
    return {
      ...(await this.placement.takenErrors(namespace.id, { id: project.id, name, path })),
      ...(visibility.length === 0 ? {} : { visibility_level: visibility }),
    };
  }
}
