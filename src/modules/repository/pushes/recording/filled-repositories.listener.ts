import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX, type RefUpdate, ZERO_OID } from '../../../../git/index.js';
import { Outbox } from '../../../../platform/queue/index.js';
import { OnDomainEvent } from '../../../activity/index.js';
import {
  ProjectStorage,
  RepositoryCopied,
  RepositoryImported,
  RepositoryLocks,
} from '../../../projects/index.js';
import { tidyRepository } from '../../housekeeping/tidy-repository.job.js';
import { PushesRepository } from '../pushes.repository.js';
import { DefaultBranchInitializer } from './default-branch.js';

/**
 * Completes repositories that were filled by an import or a fork. An import sets and protects the default
 * branch as a first push does; a fork has the default branch of its source, and protects none
 * (docs/reference/branches.md#default-branch-protection).
 */
@Injectable()
export class FilledRepositoriesListener {
  constructor(
    private readonly locks: RepositoryLocks,
    private readonly pushes: PushesRepository,
    private readonly storage: ProjectStorage,
    private readonly defaultBranch: DefaultBranchInitializer,
    private readonly outbox: Outbox,
  ) {}

  /** Initializes the default branch. Without a wanted branch, HEAD of the imported repository decides. */
  @OnDomainEvent(RepositoryImported)
  async initializeDefaultBranch({ projectId }: RepositoryImported): Promise<void> {
    await this.locks.take(projectId);
    const project = await this.pushes.findProject(projectId);
    if (project === null) return;
    const repository = this.storage.repository(project);
    const branches = (await repository.refs.list(BRANCH_PREFIX)).map(
      ({ name, target }): RefUpdate => ({ ref: name, oldOid: ZERO_OID, newOid: target }),
    );
    const wantedRef = BRANCH_PREFIX + String(project.initialBranch);
    const hasWanted = branches.some(({ ref }) => ref === wantedRef);
    const initialBranch = hasWanted ? project.initialBranch : null;
    await this.defaultBranch.initialize({ ...project, initialBranch }, repository, branches);
    await this.queueHousekeeping({ projectId, storage: project.storage });
  }

  @OnDomainEvent(RepositoryCopied)
  async queueHousekeeping({ projectId, storage }: RepositoryCopied): Promise<void> {
    await this.outbox.addUnlessWaiting(tidyRepository.with({ projectId, storage }));
  }
}
