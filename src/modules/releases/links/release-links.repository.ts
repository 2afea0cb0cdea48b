import { Injectable } from '@nestjs/common';
import { groupBy } from '../../../platform/collections/index.js';
import { Database, inOrderOf } from '../../../platform/database/index.js';
import { type Page, pageOfQuery, type PageRequest } from '../../../platform/pagination/index.js';
import { ReleaseLink } from './release-link.entity.js';
import type { LinkValues } from './release-link.rules.js';

const INSERT = `
  INSERT INTO release_links (release_id, name, url, filepath, link_type)
  SELECT $1, l.* FROM unnest($2::varchar[], $3::varchar[], $4::varchar[], $5::varchar[]) AS l
  RETURNING id`;

/** The links of releases. */
@Injectable()
export class ReleaseLinksRepository {
  constructor(private readonly database: Database) {}

  /** The newest first. */
  page(releaseId: number, request: PageRequest): Promise<Page<ReleaseLink>> {
    const query = this.database
      .of(ReleaseLink)
      .createQueryBuilder('link')
      .where('link.release_id = :releaseId', { releaseId })
      .orderBy('link.id', 'DESC');
    return pageOfQuery(this.database, query, request);
  }

  /** Returns the links of releases by their IDs, each list with the newest first. */
  async ofReleases(ids: readonly number[]): Promise<ReadonlyMap<number, readonly ReleaseLink[]>> {
    if (ids.length === 0) return new Map();
    const links = await this.database.entities(
      ReleaseLink,
      'l',
      `FROM (SELECT * FROM release_links WHERE release_id = ANY($1) ${inOrderOf('release_id')}) l
       ORDER BY l.id DESC`,
      [ids],
    );
    return groupBy(links, ({ releaseId }) => releaseId);
  }

  find(releaseId: number, id: number): Promise<ReleaseLink | null> {
    return this.database.of(ReleaseLink).findOneBy({ releaseId, id });
  }

  findByPath(releaseId: number, filepath: string): Promise<ReleaseLink | null> {
    return this.database.of(ReleaseLink).findOneBy({ releaseId, filepath });
  }

  /** @returns their IDs */
  async insert(releaseId: number, links: readonly LinkValues[]): Promise<number[]> {
    if (links.length === 0) return [];
    const rows = await this.database.rows<{ id: number }>(INSERT, [
      releaseId,
      links.map(({ name }) => name),
      links.map(({ url }) => url),
      links.map(({ filepath }) => filepath),
      links.map(({ linkType }) => linkType),
    ]);
    return rows.map(({ id }) => id);
  }

  async update(id: number, { name, url, filepath, linkType }: LinkValues): Promise<void> {
    await this.database.of(ReleaseLink).update({ id }, { name, url, filepath, linkType });
  }

  async delete(id: number): Promise<void> {
    await this.database.of(ReleaseLink).delete({ id });
  }
}
