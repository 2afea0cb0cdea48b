import {
  countDeliveries,
  type DeliveryCounts,
} from '../../modules/hooks/delivery-log/delivery-counts.query.js';
import { countDeletedProjects } from '../../modules/projects/model/deleted-projects.query.js';
import { countFreeLocks } from '../../modules/storage/repositories/free-locks.query.js';
import { findProjectsWithIntents } from '../../modules/repository/pushes/projects-with-intents.query.js';
import {
  findUnattendedJobs,
  type UnattendedJobs,
} from '../../platform/cluster/unattended-jobs.query.js';
import { countJobs, type JobCount } from '../../platform/queue/outbox/count-jobs.query.js';
import { withReads } from '../probes/database.js';

/** What workers have yet to do. */
export interface PendingWork {
  readonly jobs: readonly JobCount[];
  readonly deliveries: Pick<DeliveryCounts, 'pending' | 'hasMorePending' | 'oldestPendingSeconds'>;
  /** Projects with pushes that a process did not finish. */
  readonly interruptedPushes: number;
  /** Deleted projects whose repository and rows are still there. */
  readonly deletedProjects: number;
  /** Jobs that nobody runs; null if some process does, or nobody has to. */
  readonly unattendedJobs: UnattendedJobs | null;
}

/** Counts on the database alone: without git, Redis and the key of the instance. */
export function countPendingWork(databaseUrl: string): Promise<PendingWork> {
  return withReads(databaseUrl, async (statements) => {
    const countInterrupted = async (): Promise<number> => {
      return countFreeLocks(statements, await findProjectsWithIntents(statements));
    };
    const [
      jobs,
      { pending, hasMorePending, oldestPendingSeconds },
      interruptedPushes,
      deletedProjects,
      unattendedJobs,
    ] = await Promise.all([
      countJobs(statements),
      countDeliveries(statements),
      countInterrupted(),
      countDeletedProjects(statements),
      findUnattendedJobs(statements),
    ]);
    const deliveries = { pending, hasMorePending, oldestPendingSeconds };
    return { jobs, deliveries, interruptedPushes, deletedProjects, unattendedJobs };
  });
}
