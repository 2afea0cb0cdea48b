import { Injectable } from '@nestjs/common';
import {
  Database,
  inOrderOf,
  opaqueArray,
  rowsByIds,
  rowsByKey,
} from '../../../platform/database/index.js';
import {
  boundedCount,
  Page,
  type PageRequest,
  type SizedRow,
  windowOf,
} from '../../../platform/pagination/index.js';
import { ErasesAccountData } from '../../users/index.js';
import { Release } from './release.entity.js';

const OF_TAGS = `
  FROM unnest($2::text[]) AS asked (tag)
 CROSS JOIN ${rowsByKey('releases', 'releases.tag', 'asked.tag', 'releases.project_id = $1')} r`;

const DELETE_OF_TAGS = `
  DELETE FROM releases USING (SELECT r.id ${OF_TAGS} ${inOrderOf('r.id')}) deleted
   WHERE releases.id = deleted.id`;

/** The date of a release, by which an index has those of a project. */
const RELEASED_AT = 'coalesce(released_at, created_at)';

const ORDERS = { released: RELEASED_AT, created: 'created_at' } as const;

/** Rows that one step of erasing an account changes. */
const CHUNK = 500;

const INSERT = `
  INSERT INTO releases (project_id, tag, name, description, released_at, author_id)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (project_id, tag) DO NOTHING RETURNING id`;

const UPDATE = `
  UPDATE releases
     SET name = coalesce($2, name), description = coalesce($3, description),
         released_at = coalesce($4, released_at), updated_at = now()
   WHERE id = $1`;

const LATEST = `
  SELECT tag FROM releases
   WHERE project_id = $1 AND ${RELEASED_AT} <= now()
   ORDER BY ${RELEASED_AT} DESC, id DESC LIMIT 1`;

const HAND_OVER = `
  UPDATE releases SET author_id = $2 WHERE id IN (
    SELECT id FROM releases WHERE author_id = $1 ORDER BY id LIMIT $3)
  RETURNING id`;

/** What a release has of its own. */
export interface ReleaseValues {
  /** Absent: the name of the tag. */
  readonly name?: string | undefined;
  readonly description: string;
  /** Absent: now. */
  readonly releasedAt?: Date | undefined;
}

/** Absent values stay as they are. */
export type ChangedReleaseValues = {
  readonly [Field in keyof ReleaseValues]?: ReleaseValues[Field] | undefined;
};

/** An order of releases, and which of them are listed. */
export interface ReleaseQuery {
  readonly order: keyof typeof ORDERS;
  readonly isAscending: boolean;
  readonly updatedBefore?: Date | undefined;
  readonly updatedAfter?: Date | undefined;
}

/** The releases of tags. */
@Injectable()
export class ReleasesRepository {
  constructor(private readonly database: Database) {}

  /** Returns the size of descriptions in bytes, by the names of tags. */
  async sizesOf(projectId: number, tags: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (tags.length === 0) return new Map();
    const rows = await this.database.rows<{ tag: string; bytes: number }>(
      `SELECT r.tag, octet_length(r.description) AS bytes ${OF_TAGS}`,
      [projectId, tags],
    );
    return new Map(rows.map(({ tag, bytes }) => [tag, bytes]));
  }

  /** Returns descriptions by the names of tags. */
  async descriptionsOf(
    projectId: number,
    tags: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    if (tags.length === 0) return new Map();
    const rows = await this.database.rows<{ tag: string; description: string }>(
      `SELECT r.tag, r.description ${OF_TAGS}`,
      [projectId, tags],
    );
    return new Map(rows.map(({ tag, description }) => [tag, description]));
  }

  /** Returns the IDs of the releases of some tags, at most `limit`. */
  async idsOf(projectId: number, tags: readonly string[], limit: number): Promise<number[]> {
    const rows = await this.database.rows<{ id: number }>(
      `SELECT r.id ${OF_TAGS} ORDER BY r.id LIMIT $3`,
      [projectId, tags, limit],
    );
    return rows.map(({ id }) => id);
  }

  async deleteOf(projectId: number, tags: readonly string[]): Promise<void> {
    await this.database.rows(DELETE_OF_TAGS, [projectId, tags]);
  }

  /** Lists releases, with the bytes of their descriptions. */
  async page(
    projectId: number,
    { order, isAscending, updatedBefore, updatedAfter }: ReleaseQuery,
    request: PageRequest,
  ): Promise<Page<SizedRow>> {
    const parameters: unknown[] = [projectId];
    const conditions = ['project_id = $1'];
    if (updatedBefore !== undefined) {
      conditions.push(`updated_at < $${String(parameters.push(updatedBefore))}`);
    }
    if (updatedAfter !== undefined) {
      conditions.push(`updated_at > $${String(parameters.push(updatedAfter))}`);
    }
    const where = `FROM releases WHERE ${conditions.join(' AND ')}`;
    const direction = isAscending ? 'ASC' : 'DESC';
    const { offset, limit } = windowOf(request);
    const rows = await this.database.rows<SizedRow>(
      `SELECT id, octet_length(description) AS "textBytes" ${where}
        ORDER BY ${ORDERS[order]} ${direction}, id ${direction}
        OFFSET ${String(offset)} LIMIT ${String(limit)}`,
      parameters,
    );
    const total = await boundedCount(this.database, `SELECT 1 ${where}`, parameters);
    return Page.cut(rows, total, request);
  }

  /** Finds releases by ID, with one statement. */
  async findByIds(ids: readonly number[]): Promise<ReadonlyMap<number, Release>> {
    if (ids.length === 0) return new Map();
    const found = await this.database.entities(
      Release,
      'r',
      `FROM ${rowsByIds('releases', opaqueArray('$1', 'int'))} r`,
      [ids],
    );
    return new Map(found.map((release) => [release.id, release]));
  }

  find(projectId: number, tag: string): Promise<Release | null> {
    return this.database.of(Release).findOneBy({ projectId, tag });
  }

  /** Finds the release of a tag and locks it against changes until the unit of work ends. */
  lock(projectId: number, tag: string): Promise<Release | null> {
    return this.database.of(Release).findOne({
      where: { projectId, tag },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /** Returns the tag of the release with the latest date that is not in the future. */
  async findLatestTag(projectId: number): Promise<string | null> {
    const [row] = await this.database.rows<{ tag: string }>(LATEST, [projectId]);
    return row?.tag ?? null;
  }

  /** @returns its ID; null when the tag has a release already */
  async insert(
    projectId: number,
    tag: string,
    { name, description, releasedAt, authorId }: ReleaseValues & { readonly authorId: number },
  ): Promise<number | null> {
    const parameters = [projectId, tag, name ?? null, description, releasedAt ?? null, authorId];
    const [row] = await this.database.rows<{ id: number }>(INSERT, parameters);
    return row?.id ?? null;
  }

  /** Changes the given values. */
  async update(id: number, changes: ChangedReleaseValues): Promise<void> {
    const { name, description, releasedAt } = changes;
    await this.database.rows(UPDATE, [id, name ?? null, description ?? null, releasedAt ?? null]);
  }

  async delete(id: number): Promise<void> {
    await this.database.rows('DELETE FROM releases WHERE id = $1', [id]);
  }

  /** Attributes some releases of a deleted account to the ghost. @returns whether there may be more */
  @ErasesAccountData()
  async handOver(userId: number, ghostId: number): Promise<boolean> {
    const rows = await this.database.rows(HAND_OVER, [userId, ghostId, CHUNK]);
    return rows.length === CHUNK;
  }
}
