import { type DeliveryCounts, DeliveryLogRepository } from '../../modules/hooks/index.js';
import { ProjectsRepository, RepositoryLocks } from '../../modules/projects/index.js';
import { PushesRepository } from '../../modules/repository/index.js';
import { type JobCount, Outbox } from '../../platform/queue/index.js';
import { withReads } from '../probes/database.js';

/** What workers have yet to do. */
export interface PendingWork {
  readonly jobs: readonly JobCount[];
  readonly deliveries: Pick<DeliveryCounts, 'pending' | 'hasMorePending' | 'oldestPendingSeconds'>;
  /** Projects with pushes that a process did not finish. */
  readonly interruptedPushes: number;
  /** Deleted projects whose repository and rows are still there. */
  readonly deletedProjects: number;
}

/** Counts on the database alone: without git, Redis and the key of the instance. */
export function countPendingWork(databaseUrl: string): Promise<PendingWork> {
  return withReads(databaseUrl, async (database) => {
    const countInterrupted = async (): Promise<number> => {
      const projects = await new PushesRepository(database).findProjectsWithIntents();
      return new RepositoryLocks(database).countFree(projects);
    };
    const [
      jobs,
      { pending, hasMorePending, oldestPendingSeconds },
      interruptedPushes,
      deletedProjects,
    ] = await Promise.all([
      new Outbox(database).countJobs(),
      new DeliveryLogRepository(database).count(),
      countInterrupted(),
      new ProjectsRepository(database).countDeleted(),
    ]);
    const deliveries = { pending, hasMorePending, oldestPendingSeconds };
    return { jobs, deliveries, interruptedPushes, deletedProjects };
  });
}
