import { Injectable } from '@nestjs/common';
import { Database } from '../database/index.js';
import { QueueFactory } from '../queue/index.js';
import { SESSION_PREFIX } from './process-identity.js';
import { EXPIRY } from './processes.sql.js';
import type { RunningProcess } from './running-process.entity.js';

/** What a process says about itself. */
export type ProcessReport = Omit<
  RunningProcess,
  'renewedAt' | 'memoryBytes' | 'machine' | 'epoch' | 'leaseMs' | 'fencedAt'
> & { readonly memoryBytes: number };

/** What a process asks for when it renews its lease. */
export interface LeaseRequest {
  readonly machine: string;
  readonly leaseMs: number;
  /** The epoch that begins if it has no row (any more). */
  readonly nextEpoch: number;
}

/** What a process learns when it has renewed its lease. */
export interface RenewedLease {
  readonly epoch: number;
  /** Whether processes of other machines run, or did in the last two minutes. */
  readonly hasPeers: boolean;
  /** Whether the lease of another process has expired. */
  readonly hasSilent: boolean;
  /** The time since the renewal before, by the clock of the database; null if it had no row. */
  readonly gapMs: number | null;
}

/** A process in one of its epochs. */
export interface LeaseOwner {
  readonly processId: string;
  readonly epoch: number;
}

/** A process whose epoch was raised. */
export type FencedProcess = Pick<RunningProcess, 'id' | 'role' | 'host' | 'pid'>;

/** A process as the console lists it. */
export interface ListedProcess extends ProcessReport {
  /** Since it last renewed its row. */
  readonly silentSeconds: number;
  /** Whether its lease has expired. */
  readonly isSilent: boolean;
}

/** More processes than any instance has. */
const LISTED = 500;

const IS_SILENT = `renewed_at < now() - lease_ms * interval '1 ms'`;
/** Not since its latest sign of life. */
const IS_FENCED = 'fenced_at > renewed_at';

// Its own row is left alone, since a statement may change a row only once; what is selected is that row as it was. Locked rows are skipped, so that two
// processes that renew at the same time do not wait for each other. A row with a lease stays until it is fenced.
const RENEW = `
  WITH expired AS (
    DELETE FROM processes WHERE id IN (
      SELECT id FROM processes
       WHERE renewed_at < now() - ${EXPIRY} AND id <> $1 AND (lease_ms IS NULL OR ${IS_FENCED})
         FOR UPDATE SKIP LOCKED))
  INSERT INTO processes (id, role, version, host, pid, started_at, memory_bytes,
                         event_loop_delay_ms, connections_used, connections_waiting,
                         connections_limit, machine, lease_ms, epoch)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
  ON CONFLICT (id) DO UPDATE SET
    renewed_at = now(), memory_bytes = excluded.memory_bytes,
    event_loop_delay_ms = excluded.event_loop_delay_ms,
    connections_used = excluded.connections_used,
    connections_waiting = excluded.connections_waiting
  RETURNING epoch,
    EXISTS (SELECT FROM processes other
             WHERE other.id <> $1 AND other.machine IS DISTINCT FROM $12::varchar
               AND other.renewed_at > now() - ${EXPIRY}) AS "hasPeers",
    EXISTS (SELECT FROM processes other WHERE other.id <> $1 AND ${IS_SILENT}) AS "hasSilent",
    (SELECT extract(epoch FROM now() - own.renewed_at)::float8 * 1000
       FROM processes own WHERE own.id = $1) AS "gapMs"`;

// Where the caller's own lease has expired as well, the clock may have been set, and no process could renew since.
const FENCE = `
  UPDATE processes SET epoch = epoch + 1, fenced_at = now()
   WHERE id <> $1 AND ${IS_SILENT} AND ${IS_FENCED} IS NOT TRUE
     AND EXISTS (SELECT FROM processes own
                  WHERE own.id = $1 AND own.renewed_at > now() - own.lease_ms * interval '1 ms')
  RETURNING id, role, host, pid`;

// Sessions of other accounts could not be ended.
const END_SESSIONS = `
  SELECT pg_terminate_backend(session.pid)
    FROM pg_stat_activity session
    JOIN processes ON session.application_name = '${SESSION_PREFIX}' || processes.id
   WHERE processes.id <> $1 AND ${IS_FENCED}
     AND session.datname = current_database() AND session.usename = current_user`;

const LIST = `
  SELECT id, role, version, host, pid, started_at AS "startedAt",
         memory_bytes::float8 AS "memoryBytes", event_loop_delay_ms AS "eventLoopDelayMs",
         connections_used AS "connectionsUsed", connections_waiting AS "connectionsWaiting",
         connections_limit AS "connectionsLimit",
         greatest(0, extract(epoch FROM now() - renewed_at))::float8 AS "silentSeconds",
         coalesce(${IS_SILENT}, false) AS "isSilent"
    FROM processes ORDER BY host, role, started_at, id LIMIT ${String(LISTED)}`;

/** The rows of the instance's processes, with their leases. */
@Injectable()
export class ProcessesRepository {
  constructor(
    private readonly database: Database,
    private readonly queues: QueueFactory,
  ) {}

  /**
   * Writes the row of a process, and deletes those of processes that have not renewed theirs. On the connection that
   * listens for notifications, since those of the pool may all be taken.
   */
  async renew(report: ProcessReport, lease: LeaseRequest): Promise<RenewedLease> {
    const { rows } = await this.queues.listener.query(RENEW, [
      ...[report.id, report.role, report.version, report.host, report.pid, report.startedAt],
      ...[report.memoryBytes, report.eventLoopDelayMs, report.connectionsUsed],
      ...[report.connectionsWaiting, report.connectionsLimit],
      ...[lease.machine, lease.leaseMs, lease.nextEpoch],
    ]);
    return rows[0] as RenewedLease;
  }

  /**
   * Raises the epochs of the processes whose leases have expired.
   * @param id of the process that does it
   * @returns those for which no other process has done it before
   */
  async fenceSilent(id: string): Promise<FencedProcess[]> {
    const { rows } = await this.queues.listener.query(FENCE, [id]);
    return rows as FencedProcess[];
  }

  /** Ends the sessions of the processes that have given no sign of life since they were fenced. */
  async endSessionsOfFenced(id: string): Promise<void> {
    await this.queues.listener.query(END_SESSIONS, [id]);
  }

  /** Whether the process is in this epoch, and has a row. */
  async isInEpoch({ processId, epoch }: LeaseOwner): Promise<boolean> {
    const rows = await this.database.rows('SELECT FROM processes WHERE id = $1 AND epoch = $2', [
      processId,
      epoch,
    ]);
    return rows.length > 0;
  }

  async remove(id: string): Promise<void> {
    await this.database.rows('DELETE FROM processes WHERE id = $1', [id]);
  }

  /** Lists the processes by host and role. */
  list(): Promise<ListedProcess[]> {
    return this.database.rows<ListedProcess>(LIST);
  }
}
