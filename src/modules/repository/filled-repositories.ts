import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX, type RefUpdate, ZERO_OID } from '../../git/index.js';
import { Outbox } from '../../platform/queue/index.js';
import { OnDomainEvent } from '../activity/index.js';
import { ProjectStorage, RepositoryCopied, RepositoryImported } from '../projects/index.js';
import { DefaultBranch } from './pushes/default-branch.js';
import { PushIntentsRepository } from './pushes/push-intents.repository.js';
import { tidyRepository } from './repository.jobs.js';

/**
 * Looks after repositories that were filled otherwise than by a push. An import names and protects
 * the default branch as a first push does, a fork has its default branch from its source and
 * protects none (docs/reference/branches.md#default-branch-protection).
 */
@Injectable()
export class FilledRepositories {
  constructor(
    private readonly intents: PushIntentsRepository,
    private readonly storage: ProjectStorage,
    private readonly defaultBranch: DefaultBranch,
    private readonly outbox: Outbox,
  ) {}

  /** HEAD is the other server's: it counts where nothing else was wished for. */
  @OnDomainEvent(RepositoryImported)
  async settleImport({ projectId }: RepositoryImported): Promise<void> {
    await this.intents.lock(projectId);
    const project = await this.intents.findProject(projectId);
    if (project === null) return;
    const repository = this.storage.repository(project);
    const branches = (await repository.refs.list(BRANCH_PREFIX)).map(
      ({ name, target }): RefUpdate => ({
        ref: name,
        oldOid: ZERO_OID,
        newOid: target,
      }),
    );
    const isThere = branches.some(
      ({ ref }) => ref === BRANCH_PREFIX + String(project.initialBranch),
    );
    const initialBranch = isThere ? project.initialBranch : null;
    await this.defaultBranch.settle({ ...project, initialBranch }, repository, branches);
    await this.tidy({ projectId, storage: project.storage });
  }

  @OnDomainEvent(RepositoryCopied)
  async tidy({ projectId, storage }: RepositoryCopied): Promise<void> {
    await this.outbox.addUnlessWaiting(tidyRepository.with({ projectId, storage }));
  }
}
