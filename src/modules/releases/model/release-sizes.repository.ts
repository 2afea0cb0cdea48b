import { Injectable } from '@nestjs/common';
import { Database, rowById } from '../../../platform/database/index.js';

/** Bytes of a link besides its texts, and of the addresses that its view has. */
const LINK_BYTES = 500;

const SIZES = `
  SELECT r.id,
         (SELECT coalesce(sum(octet_length(url) + octet_length(name) + ${String(LINK_BYTES)}), 0)
            FROM release_links WHERE release_id = r.id)::int
         + (SELECT coalesce(sum(coalesce(octet_length(m.description), 0) + ${String(LINK_BYTES)}), 0)
              FROM release_milestones s JOIN ${rowById('milestones', 's.milestone_id')} m ON true
             WHERE s.release_id = r.id)::int AS bytes
    FROM unnest($1::int[]) AS r (id)`;

/** How much text releases have besides their descriptions: a list of long ones is made in parts. */
@Injectable()
export class ReleaseSizesRepository {
  constructor(private readonly database: Database) {}

  /** Returns the bytes of the links and milestones of releases, by their IDs. */
  async ofReleases(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database.rows<{ id: number; bytes: number }>(SIZES, [ids]);
    return new Map(rows.map(({ id, bytes }) => [id, bytes]));
  }
}
