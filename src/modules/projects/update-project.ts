import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { forbidden, invalidRecord, notFound } from '../../platform/errors/index.js';
import { allows, type ProjectAccess } from '../access/index.js';
import type { User } from '../users/index.js';
import { DefaultBranches } from './default-branches.js';
import { LateImport } from './late-import.js';
import { ProjectChangeRules } from './project-change-rules.js';
import type { ProjectSettings } from './project-drafts.js';
import type { Project } from './project.entity.js';
import { ProjectWrites } from './project-writes.js';
import { takenFieldsOf } from './taken-name.js';

export interface ProjectChanges extends ProjectSettings {
  name?: string | undefined;
  path?: string | undefined;
  defaultBranch?: string | undefined;
}

/** Changes a project's settings, all that are given or none (docs/reference/projects.md#put-projectsid). */
@Injectable()
export class UpdateProject {
  constructor(
    private readonly work: UnitOfWork,
    private readonly projects: ProjectWrites,
    private readonly rules: ProjectChangeRules,
    private readonly branches: DefaultBranches,
    private readonly imports: LateImport,
  ) {}

  /** @throws DomainError forbidden, invalid record, not found where it is deleted meanwhile */
  async run(caller: User, access: ProjectAccess, changes: ProjectChanges): Promise<void> {
    try {
      await this.work.run(() => this.change(caller, access, changes));
    } catch (error) {
      const taken = takenFieldsOf(error);
      throw taken === null ? error : invalidRecord(taken);
    }
    if (otherBranch(access, changes) !== undefined) {
      await this.branches.settle(access.project.id);
    }
  }

  /** Locks come in everybody's order: repository, namespace, project. */
  private async change(
    caller: User,
    access: ProjectAccess,
    changes: ProjectChanges,
  ): Promise<void> {
    const { id, namespaceId } = access.project;
    const { importUrl } = changes;
    const wanted = otherBranch(access, changes);
    const source = importUrl === undefined ? null : this.imports.parse(importUrl);
    if (wanted !== undefined || source !== null) await this.branches.lock(id);
    const namespace = await this.rules.lockPlace(namespaceId, changes);
    const project = await this.projects.lock(id);
    if (project === null) throw notFound('Project');
    const values = differences(project, changes);
    checkRename(access, values);
    const branch = wanted === undefined ? null : await this.branches.plan(project, wanted);
    const errors = {
      ...(await this.rules.errors(caller, project, values, namespace)),
      ...branch?.errors,
      ...(source === null ? {} : await this.imports.errors(project)),
    };
    if (Object.keys(errors).length > 0) throw invalidRecord(errors);
    await this.projects.update(project, { ...values, ...branch?.values });
    if (branch !== null) await this.branches.announce(id);
    if (source !== null) await this.imports.begin(project, caller, source);
  }
}

/** The branch to make the default one, undefined when it is that already. */
function otherBranch({ project }: ProjectAccess, changes: ProjectChanges): string | undefined {
  const { defaultBranch } = changes;
  return defaultBranch === project.defaultBranch ? undefined : defaultBranch;
}

/**
 * Name and visibility are the owner's affair, when they really change
 * (docs/reference/projects.md#put-projectsid).
 */
function checkRename(access: ProjectAccess, values: Partial<Project>): void {
  const renames = 'name' in values || 'visibilityLevel' in values;
  if (renames && !allows(access, 'project:rename')) throw forbidden();
}

/** What really changes: clients send back what they have read. */
function differences(project: Project, changes: ProjectChanges): Partial<Project> {
  const { name, path, description, visibilityLevel, switches } = changes;
  const wanted = Object.entries({ name, path, description, visibilityLevel, ...switches });
  return Object.fromEntries(
    wanted.filter(([key, value]) => value !== undefined && value !== project[key as keyof Project]),
  );
}
