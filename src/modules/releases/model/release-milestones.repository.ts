import { Injectable } from '@nestjs/common';
import { groupBy } from '../../../platform/collections/index.js';
import { Database, inOrderOf } from '../../../platform/database/index.js';
import { COUNTED_ITEMS } from '../../../platform/pagination/index.js';
import { type Milestone, MilestonesRepository } from '../../issuables/index.js';

/** How a request names milestones. */
export type NamedMilestones =
  { readonly titles: readonly string[] } | { readonly ids: readonly number[] };

/** A milestone with the number of its issues that are not confidential; a larger one than `COUNTED_ITEMS` is shown as that. */
export interface CountedMilestone {
  readonly milestone: Milestone;
  readonly issues: { readonly total: number; readonly closed: number };
}

interface Link {
  releaseId: number;
  milestoneId: number;
  total: number;
  closed: number;
}

const LINKS = `
  SELECT r.release_id AS "releaseId", r.milestone_id AS "milestoneId", i.total, i.closed
    FROM (SELECT * FROM release_milestones WHERE release_id = ANY($1) ${inOrderOf('release_id')}) r
   CROSS JOIN LATERAL (
     SELECT count(*)::int AS total, (count(*) FILTER (WHERE state = 'closed'))::int AS closed
       FROM (SELECT state FROM issues
              WHERE milestone_id = r.milestone_id AND deleted_at IS NULL AND NOT confidential
              LIMIT ${String(COUNTED_ITEMS)}) counted) i
   ORDER BY r.release_id, r.milestone_id`;

const HOLD_BY_TITLE = `
  SELECT id, title AS name FROM milestones WHERE project_id = $1 AND title = ANY($2)
  ${inOrderOf('title')} FOR KEY SHARE`;

const HOLD_BY_ID = `
  SELECT m.id, m.id::text AS name FROM milestones m WHERE m.id = ANY($2) AND m.project_id = $1
  ${inOrderOf('m.id')} FOR KEY SHARE`;

const REPLACE = `
  WITH removed AS (
    DELETE FROM release_milestones WHERE release_id = $1 AND milestone_id <> ALL($2))
  INSERT INTO release_milestones (release_id, milestone_id)
  SELECT $1, id FROM unnest($2::int[]) AS id ON CONFLICT DO NOTHING`;

/** The milestones of releases. */
@Injectable()
export class ReleaseMilestonesRepository {
  constructor(
    private readonly database: Database,
    private readonly milestones: MilestonesRepository,
  ) {}

  /** Returns the milestones of releases by their IDs, each list in the order in which milestones were created. */
  async ofReleases(
    ids: readonly number[],
  ): Promise<ReadonlyMap<number, readonly CountedMilestone[]>> {
    if (ids.length === 0) return new Map();
    const links = await this.database.rows<Link>(LINKS, [ids]);
    const found = await this.milestones.findByIds([
      ...new Set(links.map(({ milestoneId }) => milestoneId)),
    ]);
    return groupBy(
      links.flatMap(({ releaseId, milestoneId, ...issues }) => {
        const milestone = found.get(milestoneId);
        return milestone === undefined ? [] : { releaseId, milestone, issues };
      }),
      ({ releaseId }) => releaseId,
    );
  }

  /**
   * Finds milestones of a project and locks them against deletion until the unit of work ends.
   * @returns their IDs, and what names no milestone
   */
  async hold(
    projectId: number,
    named: NamedMilestones,
  ): Promise<{ ids: number[]; missing: string[] }> {
    const isByTitle = 'titles' in named;
    const names = [...new Set<string | number>(isByTitle ? named.titles : named.ids)];
    if (names.length === 0) return { ids: [], missing: [] };
    const sql = isByTitle ? HOLD_BY_TITLE : HOLD_BY_ID;
    const rows = await this.database.rows<{ id: number; name: string }>(sql, [projectId, names]);
    const found = new Set(rows.map(({ name }) => name));
    const missing = names.map(String).filter((name) => !found.has(name));
    return { ids: rows.map(({ id }) => id), missing };
  }

  /** Gives a release exactly these milestones. */
  async replace(releaseId: number, ids: readonly number[]): Promise<void> {
    await this.database.rows(REPLACE, [releaseId, ids]);
  }
}
