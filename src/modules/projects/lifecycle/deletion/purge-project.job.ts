import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../../platform/database/index.js';
import {
  defineJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
  Outbox,
} from '../../../../platform/queue/index.js';
import { DeployKeysService } from '../../deploy-keys/deploy-keys.service.js';
import { ForksRepository } from '../forks/forks.repository.js';
import { ProjectStorage, RepositoryLocks, UploadStorage } from '../../../storage/index.js';
import { ProjectDeletionRepository } from './project-deletion.repository.js';

const POSTPONE_MS = 10_000;

interface PurgeProjectPayload {
  projectId: number;
  /** In the payload, since a repeated job may find no row. */
  storage: string;
}

/** Removes the files and rows of a deleted project. */
export const purgeProject = defineJob<PurgeProjectPayload>('projects', 'purge-project', {
  timeLimitMs: 60 * 60_000,
});

/** Removes files before rows. Can be interrupted and repeated. */
@Injectable()
@HandlesJob(purgeProject)
export class PurgeProjectJob implements JobHandler<PurgeProjectPayload> {
  constructor(
    private readonly deletions: ProjectDeletionRepository,
    private readonly storage: ProjectStorage,
    private readonly uploads: UploadStorage,
    private readonly forks: ForksRepository,
    private readonly deployKeys: DeployKeysService,
    private readonly locks: RepositoryLocks,
    private readonly work: UnitOfWork,
    private readonly outbox: Outbox,
  ) {}

  async handle(payload: PurgeProjectPayload, { signal }: JobContext): Promise<void> {
    const { projectId, storage } = payload;
    if (await this.forks.isBeingCopied(projectId)) return this.postpone(payload);
    if (await this.locks.isBackupUnderWay()) return this.postpone(payload);
    if ((await this.locks.countFree([projectId])) === 0) return this.postpone(payload);
    if (!(await this.storage.remove({ id: projectId, storage }))) return this.postpone(payload);
    await this.uploads.remove(projectId);
    await this.unlinkDeployKeys(projectId, signal);
    await this.deletions.deleteDependentRows(projectId, signal);
    await this.deletions.deleteRow(projectId);
  }

  /**
   * Runs the job again later: forks that are being copied from the repository need it until they are filled, a backup
   * that began before the project was deleted needs its files, and git that moves refs or packs would create folders anew.
   * What takes the push lock after the deletion finds no project.
   */
  private postpone(payload: PurgeProjectPayload): Promise<void> {
    const later = purgeProject.with(payload, { delayMs: POSTPONE_MS });
    return this.work.run(() => this.outbox.addUnlessWaiting(later));
  }

  /** The foreign key's cascade would delete the link and leave an orphaned key. */
  private async unlinkDeployKeys(projectId: number, signal: AbortSignal): Promise<void> {
    let isMore = true;
    while (isMore) {
      signal.throwIfAborted();
      isMore = await this.work.run(() => this.deployKeys.unlinkSomeOf([projectId]));
    }
  }
}
