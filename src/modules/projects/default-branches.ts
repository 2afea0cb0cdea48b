import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX } from '../../git/index.js';
import type { FieldTexts } from '../../platform/errors/index.js';
import { branchErrors } from './project-name.js';
import { ProjectStorage } from './project-storage.js';
import type { Project } from './project.entity.js';
import { RepositoryHead } from './repository-head.js';
import { RepositoryLocks } from './repository-locks.js';

/** What a wish for another default branch comes to. */
export interface BranchChange {
  errors: FieldTexts;
  values: Partial<Project>;
}

/** Changes the default branch of a project: in the database, then in its repository. */
@Injectable()
export class DefaultBranches {
  constructor(
    private readonly locks: RepositoryLocks,
    private readonly storage: ProjectStorage,
    private readonly head: RepositoryHead,
  ) {}

  /** Keeps pushes away to the end of the unit of work; call before any of the project's rows is locked. */
  lock(projectId: number): Promise<void> {
    return this.locks.take(projectId);
  }

  /** A branch has to exist; without any commit it is the one the first commit will make. */
  async plan(project: Project, branch: string): Promise<BranchChange> {
    const repository = this.storage.repository(project);
    if (project.defaultBranch === null && (await repository.isEmpty())) {
      return { errors: branchErrors(branch), values: { initialBranch: branch } };
    }
    const exists = (await repository.refs.get(BRANCH_PREFIX + branch)) !== null;
    const errors = exists ? {} : { default_branch: ['does not exist'] };
    // Without a default branch the first push is yet to be settled, which names and protects it.
    const field = project.defaultBranch === null ? 'initialBranch' : 'defaultBranch';
    return { errors, values: { [field]: branch } };
  }

  /** Call in the unit of work that writes the planned values. */
  announce(projectId: number): Promise<void> {
    return this.head.change(projectId);
  }

  /** Call after that unit. */
  settle(projectId: number): Promise<void> {
    return this.head.followNow(projectId);
  }
}
