import type { Statements } from '../database/index.js';
import { countJobs } from '../queue/outbox/count-jobs.query.js';
import { EXPIRY } from './processes.sql.js';

/** The jobs that are due while no process runs jobs. */
export interface UnattendedJobs {
  readonly due: number;
  /** Whether there are more than were counted. */
  readonly hasMore: boolean;
  readonly oldestSeconds: number;
}

const FIND_ROLES = `
  SELECT count(*) > 0 AS "isRunning", coalesce(bool_or(role <> 'api'), false) AS "runsJobs"
    FROM processes
   WHERE renewed_at > now() - coalesce(lease_ms * interval '1 ms', ${EXPIRY})`;

/**
 * Finds out whether nobody runs jobs: none of the running processes does, or no process runs and jobs are due.
 * @returns null if some process runs jobs, or none has to
 */
export async function findUnattendedJobs(statements: Statements): Promise<UnattendedJobs | null> {
  const [roles] = await statements.rows<{ isRunning: boolean; runsJobs: boolean }>(FIND_ROLES);
  if (roles?.runsJobs === true) return null;
  const counts = await countJobs(statements);
  const due = counts.filter(({ state }) => state === 'waiting' || state === 'queued');
  if (roles?.isRunning !== true && due.length === 0) return null;
  return {
    due: due.reduce((total, { count }) => total + count, 0),
    hasMore: due.some(({ hasMore }) => hasMore),
    oldestSeconds: Math.max(0, ...due.map(({ oldestSeconds }) => oldestSeconds)),
  };
}

/** Formats for people that no process runs jobs. */
export function describeUnattended({ due, hasMore, oldestSeconds }: UnattendedJobs): string {
  const waiting =
    due === 0
      ? 'none is due yet'
      : `${String(due)}${hasMore ? '+' : ''} ${due === 1 ? 'is' : 'are'} due, the oldest for ${String(Math.round(oldestSeconds))} s`;
  return `no process runs jobs: ${waiting}`;
}
