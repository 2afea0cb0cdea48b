import { Injectable } from '@nestjs/common';
import { Database } from '../database/index.js';
import type { ProcessStatistics } from './process-statistics.entity.js';

/** What a process did in five minutes. */
export type StatisticsReport = Omit<ProcessStatistics, 'memoryBytes'> & {
  readonly memoryBytes: number;
};

/** What all processes did in five minutes. */
export interface InstanceStatistics {
  readonly periodStart: Date;
  readonly processes: number;
  readonly requests: number;
  readonly serverErrors: number;
  /** Null without requests, as the next. */
  readonly meanDurationMs: number | null;
  /** The 95th percentile of the slowest process. */
  readonly slowDurationMs: number | null;
  /** Of the process with the longest. */
  readonly eventLoopDelayMs: number;
  /** Of all processes together. */
  readonly memoryBytes: number;
  readonly jobsDone: number;
  readonly jobsFailed: number;
  readonly deliveriesDone: number;
  readonly deliveriesFailed: number;
}

const KEPT = `interval '25 hours'`;

// A clock that was set back leads to five minutes that have statistics already.
const ADD_STATISTICS = `
  INSERT INTO process_statistics (period_start, process_id, role, requests, server_errors,
                               mean_duration_ms, slow_duration_ms, event_loop_delay_ms,
                               memory_bytes, jobs_done, jobs_failed, deliveries_done,
                               deliveries_failed)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
  ON CONFLICT DO NOTHING`;

const STATISTICS = `
  SELECT period_start AS "periodStart", count(*)::int AS processes, sum(requests)::float8 AS requests,
         sum(server_errors)::float8 AS "serverErrors",
         (sum(mean_duration_ms * requests) / nullif(sum(requests), 0))::float8 AS "meanDurationMs",
         max(slow_duration_ms)::float8 AS "slowDurationMs",
         max(event_loop_delay_ms)::float8 AS "eventLoopDelayMs",
         sum(memory_bytes)::float8 AS "memoryBytes",
         sum(jobs_done)::float8 AS "jobsDone", sum(jobs_failed)::float8 AS "jobsFailed",
         sum(deliveries_done)::float8 AS "deliveriesDone",
         sum(deliveries_failed)::float8 AS "deliveriesFailed"
    FROM process_statistics WHERE period_start >= $1 GROUP BY period_start ORDER BY period_start`;

const TRIM_STATISTICS = `
  DELETE FROM process_statistics WHERE (period_start, process_id) IN (
    SELECT period_start, process_id FROM process_statistics WHERE period_start < now() - ${KEPT}
     ORDER BY period_start LIMIT $1)
  RETURNING process_id`;

/** What the processes of the instance did. */
@Injectable()
export class ProcessStatisticsRepository {
  constructor(private readonly database: Database) {}

  async add(entry: StatisticsReport): Promise<void> {
    await this.database.rows(ADD_STATISTICS, [
      ...[entry.periodStart, entry.processId, entry.role, entry.requests, entry.serverErrors],
      ...[entry.meanDurationMs, entry.slowDurationMs, entry.eventLoopDelayMs],
      ...[entry.memoryBytes, entry.jobsDone, entry.jobsFailed, entry.deliveriesDone],
      entry.deliveriesFailed,
    ]);
  }

  /** Lists what all processes did since a moment, the oldest five minutes first. */
  list(since: Date): Promise<InstanceStatistics[]> {
    return this.database.rows<InstanceStatistics>(STATISTICS, [since]);
  }

  /** Deletes up to `limit` statistics that are older than a day; returns how many. */
  async trim(limit: number): Promise<number> {
    return (await this.database.rows(TRIM_STATISTICS, [limit])).length;
  }
}
