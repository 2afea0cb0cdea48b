import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import type { StoredProject } from '../repositories/project-storage.js';
import type { StoragePart } from './project-size.entity.js';

/** Bytes by part of the project. */
export type MeasuredSizes = Readonly<Record<StoragePart, number>>;

/** What the database knows of the repositories in a storage. */
export interface StorageUsage {
  readonly storage: string;
  readonly repositories: number;
  /** Repositories whose size is recorded, which only those are that were written to under `PROJECT_MAX_BYTES`. */
  readonly measured: number;
  /** Of the measured ones together. */
  readonly bytes: number;
}

/** The state at the beginning of a measurement. */
interface MeasurementStart {
  /** Bytes that writers had ever added. */
  added: string;
  /** Time, by the clock of the database. */
  at: string;
}

/** Longer than any reservation is held: git may take ten minutes to move the refs of a push. */
const RESERVED_FOR = `interval '15 minutes'`;

/**
 * Sizes of projects and reservations. Each method except `correct` is one statement, which locks the project's
 * row only while it runs.
 */
@Injectable()
export class ProjectSizesRepository {
  constructor(private readonly database: Database) {}

  /** Used and reserved bytes; null for a project that has not been measured. */
  async used(projectId: number): Promise<number | null> {
    const [row] = await this.database.rows<{ used: string }>(
      `SELECT repository_bytes + uploads_bytes + reserved_bytes AS used
         FROM project_sizes WHERE project_id = $1`,
      [projectId],
    );
    return row === undefined ? null : Number(row.used);
  }

  /** Does nothing for a project that has a row or is deleted. */
  async insert(projectId: number, { repository, uploads }: MeasuredSizes): Promise<void> {
    await this.database.rows(
      `INSERT INTO project_sizes (project_id, repository_bytes, uploads_bytes)
       SELECT id, $2::bigint, $3::bigint FROM projects WHERE id = $1
           ON CONFLICT DO NOTHING`,
      [projectId, repository, uploads],
    );
  }

  /**
   * Reserves bytes if the project then has at most `limit`. Concurrent calls wait for each other's row
   * lock and see each other's reservations.
   * @returns the reservation's ID; null when there is no room or no row
   */
  async reserve(
    projectId: number,
    part: StoragePart,
    bytes: number,
    limit: number,
  ): Promise<string | null> {
    const [row] = await this.database.rows<{ id: string }>(
      `WITH room AS (
         UPDATE project_sizes SET reserved_bytes = reserved_bytes + $3::bigint
          WHERE project_id = $1
            AND repository_bytes + uploads_bytes + reserved_bytes + $3::bigint <= $4::bigint
         RETURNING project_id)
       INSERT INTO storage_reservations (project_id, part, bytes, expires_at)
       SELECT project_id, $2, $3::bigint, now() + ${RESERVED_FOR} FROM room
       RETURNING id`,
      [projectId, part, bytes, limit],
    );
    return row?.id ?? null;
  }

  /** Counts reserved bytes as stored. Does nothing where a measurement has already done so. */
  async complete(reservationId: string): Promise<void> {
    await this.database.rows(
      `WITH stored AS (
         DELETE FROM storage_reservations WHERE id = $1 RETURNING project_id, part, bytes),
       parts AS (
         SELECT project_id, bytes,
                CASE part WHEN 'repository' THEN bytes ELSE 0 END AS repository,
                CASE part WHEN 'uploads' THEN bytes ELSE 0 END AS uploads
           FROM stored)
       UPDATE project_sizes s
          SET reserved_bytes = s.reserved_bytes - p.bytes,
              repository_bytes = s.repository_bytes + p.repository,
              repository_added = s.repository_added + p.repository,
              uploads_bytes = s.uploads_bytes + p.uploads,
              uploads_added = s.uploads_added + p.uploads
         FROM parts p WHERE s.project_id = p.project_id`,
      [reservationId],
    );
  }

  /** Expires a reservation: the next measurement shows whether its bytes are stored. */
  async abandon(reservationId: string): Promise<void> {
    await this.database.rows('UPDATE storage_reservations SET expires_at = now() WHERE id = $1', [
      reservationId,
    ]);
  }

  /**
   * Sets the repository's size of a project that is being filled, if the project then has at most `limit`. Can
   * be repeated.
   * @returns false when there is no room
   */
  async setRepository(projectId: number, bytes: number, limit: number): Promise<boolean> {
    const rows = await this.database.rows(
      `UPDATE project_sizes
          SET repository_bytes = $2::bigint, repository_added = repository_added + $2::bigint
        WHERE project_id = $1 AND uploads_bytes + reserved_bytes + $2::bigint <= $3::bigint
       RETURNING project_id`,
      [projectId, bytes, limit],
    );
    return rows.length > 0;
  }

  /** @returns null for a project without recorded size */
  async startMeasurement(projectId: number, part: StoragePart): Promise<MeasurementStart | null> {
    const [row] = await this.database.rows<MeasurementStart>(
      `SELECT ${part}_added AS added, clock_timestamp()::text AS at
         FROM project_sizes WHERE project_id = $1`,
      [projectId],
    );
    return row ?? null;
  }

  /**
   * Sets the size of a part to the measured bytes and those that writers added during the measurement, and
   * deletes the reservations that had expired when it began. Needs a unit of work.
   * @returns false when writers added bytes during the measurement, which may be counted twice
   */
  async correct(
    projectId: number,
    part: StoragePart,
    start: MeasurementStart,
    bytes: number,
  ): Promise<boolean> {
    // Reservations come first, as in `complete`.
    const expired = await this.database.rows<{ bytes: string }>(
      `DELETE FROM storage_reservations
        WHERE project_id = $1 AND part = $2 AND expires_at <= $3::timestamptz RETURNING bytes`,
      [projectId, part, start.at],
    );
    const released = expired.reduce((sum, row) => sum + Number(row.bytes), 0);
    const [row] = await this.database.rows<{ isExact: boolean }>(
      `UPDATE project_sizes
          SET ${part}_bytes = $2::bigint + ${part}_added - $3::bigint,
              reserved_bytes = reserved_bytes - $4::bigint
        WHERE project_id = $1
       RETURNING ${part}_added = $3::bigint AS "isExact"`,
      [projectId, bytes, start.added, released],
    );
    return row?.isExact ?? true;
  }

  /** Deletes a project's size, which is not maintained while there is no limit. */
  async remove(projectId: number): Promise<void> {
    await this.database.rows('DELETE FROM project_sizes WHERE project_id = $1', [projectId]);
  }

  /** Lists projects with expired reservations. */
  listWithExpiredReservations(limit: number): Promise<StoredProject[]> {
    return this.database.rows(
      `SELECT p.id, p.storage FROM projects p
        WHERE EXISTS (SELECT FROM storage_reservations r
                       WHERE r.project_id = p.id AND r.expires_at <= now())
        ORDER BY p.id LIMIT $1`,
      [limit],
    );
  }

  /** Counts the repositories of projects that are not deleted, by storage. */
  usageByStorage(): Promise<StorageUsage[]> {
    return this.database.rows<StorageUsage>(
      `SELECT p.storage, count(*)::int AS repositories, count(s.project_id)::int AS measured,
              coalesce(sum(s.repository_bytes), 0)::float8 AS bytes
         FROM projects p LEFT JOIN project_sizes s ON s.project_id = p.id
        WHERE p.deleted_at IS NULL GROUP BY p.storage ORDER BY p.storage`,
    );
  }
}
