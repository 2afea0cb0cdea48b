import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { DomainEvents } from '../../activity/index.js';
import { RepositoryLocks } from '../repository-locks.js';
import { RepositoryStates } from '../readiness/repository-states.js';
import { RepositoryImported } from './import.events.js';
import { ProjectImportsRepository, type RunningImport } from './project-imports.repository.js';

/** Records how an import ended, once, and lets the pushes in that have waited for it. */
@Injectable()
export class ImportOutcome {
  constructor(
    private readonly work: UnitOfWork,
    private readonly imports: ProjectImportsRepository,
    private readonly states: RepositoryStates,
    private readonly locks: RepositoryLocks,
    private readonly events: DomainEvents,
  ) {}

  /** The repository is filled: upper rooms settle what a first push would. */
  succeed({ projectId, userId }: RunningImport): Promise<void> {
    return this.work.run(async () => {
      await this.locks.take(projectId);
      const isFirst = await this.imports.end(projectId, null);
      const isAlive = await this.states.makeReady(projectId, 'importing');
      if (isFirst && isAlive) await this.events.publish(new RepositoryImported(projectId, userId));
    });
  }

  /** Leaves the project with an empty repository. @param failure without credentials */
  fail(projectId: number, failure: string): Promise<void> {
    return this.work.run(async () => {
      await this.imports.end(projectId, failure);
      await this.states.makeReady(projectId, 'importing');
    });
  }

  /** For a project whose import has no row to run by: its user's account was removed, say. */
  async release(projectId: number): Promise<void> {
    await this.states.makeReady(projectId, 'importing');
  }
}
