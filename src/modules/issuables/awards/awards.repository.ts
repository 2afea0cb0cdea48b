import { Injectable } from '@nestjs/common';
import { Database, holdUnmodified } from '../../../platform/database/index.js';
import { type Page, pageOfQuery, type PageRequest } from '../../../platform/pagination/index.js';
import { ErasesAccountData } from '../../users/index.js';
import { IssuableKinds } from '../model/issuable-kinds.js';
import { type AwardableType, Award } from './award.entity.js';

/** Rows that one step of erasing an account removes. */
const CHUNK = 1_000;

/** An issue, merge request or note. */
export interface Awardable {
  readonly type: AwardableType;
  readonly id: number;
}

@Injectable()
export class AwardsRepository {
  constructor(
    private readonly database: Database,
    private readonly kinds: IssuableKinds,
  ) {}

  /** @returns null if the user has awarded it already */
  async insert(
    { type, id, projectId }: Awardable & { projectId: number },
    userId: number,
    name: string,
  ): Promise<Award | null> {
    const [row] = await this.database.rows<{ id: number }>(INSERT, [
      projectId,
      type,
      id,
      userId,
      name,
    ]);
    return row === undefined ? null : this.database.of(Award).findOneByOrFail({ id: row.id });
  }

  /** The oldest first. */
  page({ type, id }: Awardable, request: PageRequest): Promise<Page<Award>> {
    const query = this.database
      .of(Award)
      .createQueryBuilder('award')
      .where('award.awardable_type = :type AND award.awardable_id = :id', { type, id })
      .orderBy('award.id');
    return pageOfQuery(this.database, query, request);
  }

  findIn({ type, id }: Awardable, awardId: number): Promise<Award | null> {
    return this.database.of(Award).findOneBy({ id: awardId, awardableType: type, awardableId: id });
  }

  find({ type, id }: Awardable, userId: number, name: string): Promise<Award | null> {
    return this.database
      .of(Award)
      .findOneBy({ awardableType: type, awardableId: id, userId, name });
  }

  /** @returns false if it is deleted already */
  async remove(id: number): Promise<boolean> {
    const row = { table: 'award_emoji', column: 'updated_at', where: 'id = $1' } as const;
    await holdUnmodified(this.database, row, [id]);
    const { affected } = await this.database.of(Award).delete({ id });
    return (affected ?? 0) > 0;
  }

  /** Locks a note against deletion until the unit of work ends. @returns false if it is deleted */
  async holdNote(id: number): Promise<boolean> {
    const rows = await this.database.rows('SELECT 1 FROM notes WHERE id = $1 FOR KEY SHARE', [id]);
    return rows.length > 0;
  }

  /** Copies the awards of objects to their copies. */
  async copy(
    type: AwardableType,
    copies: readonly { from: number; to: number }[],
    projectId: number,
  ): Promise<void> {
    if (copies.length === 0) return;
    const [from, to] = [copies.map((copy) => copy.from), copies.map((copy) => copy.to)];
    await this.database.rows(COPY, [type, from, to, projectId]);
  }

  /**
   * Removes some awards of a deleted account, and locks their issues and merge requests before, on which votes are
   * counted.
   * @returns whether there may be more
   */
  @ErasesAccountData()
  async removeSomeOf(userId: number): Promise<boolean> {
    const awards = await this.database.rows<{ id: number; type: AwardableType; targetId: number }>(
      SOME_OF_USER,
      [userId, CHUNK],
    );
    for (const kind of this.kinds.all) {
      const targets = awards.filter(({ type }) => type === kind.type);
      await kind.lock(targets.map(({ targetId }) => targetId));
    }
    await this.database.rows('DELETE FROM award_emoji WHERE id = ANY($1::int[])', [
      awards.map(({ id }) => id),
    ]);
    return awards.length === CHUNK;
  }
}

const SOME_OF_USER = `
  SELECT id, awardable_type AS type, awardable_id AS "targetId"
    FROM award_emoji WHERE user_id = $1 LIMIT $2`;

const INSERT = `
  INSERT INTO award_emoji (project_id, awardable_type, awardable_id, user_id, name)
  VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING id`;

const COPY = `
  INSERT INTO award_emoji
         (project_id, awardable_type, awardable_id, user_id, name, created_at, updated_at)
  SELECT $4, a.awardable_type, copy.to_id, a.user_id, a.name, a.created_at, a.updated_at
    FROM unnest($2::int[], $3::int[]) AS copy (from_id, to_id)
    JOIN award_emoji a ON a.awardable_type = $1 AND a.awardable_id = copy.from_id
   ORDER BY a.id
  ON CONFLICT DO NOTHING`;
