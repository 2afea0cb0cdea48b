import { Injectable } from '@nestjs/common';
import { containing, Database, notDeleted, opaqueArray } from '../../../platform/database/index.js';
import {
  describeInParts,
  type Page,
  type PageRequest,
  sizedPageOfQuery,
} from '../../../platform/pagination/index.js';
import { givenNumber, nextNumber } from '../model/internal-id.entity.js';
import { Milestone, type MilestoneState } from './milestone.entity.js';

export type MilestoneValues = Pick<Milestone, 'title' | 'description' | 'dueDate' | 'startDate'>;

/** A milestone of another server. */
type ImportedMilestone = Omit<Milestone, 'id' | 'projectId'>;

export interface MilestoneFilter {
  /** Both when absent. */
  state?: MilestoneState | undefined;
  /** Numbers within the project; all when absent. */
  iids?: readonly number[] | undefined;
  /** Its title. */
  title?: string | undefined;
  /** A part of title or description. */
  search?: string | undefined;
}

/** Finds milestones by ID, with one statement. */
export async function findMilestones(
  database: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Milestone>> {
  if (ids.length === 0) return new Map();
  const found = await database
    .of(Milestone)
    .createQueryBuilder('milestone')
    .where(`milestone.id = ANY(${opaqueArray(':ids', 'int')})`, { ids })
    .getMany();
  return new Map(found.map((milestone) => [milestone.id, milestone]));
}

@Injectable()
export class MilestonesRepository {
  constructor(private readonly database: Database) {}

  /** Null if the project has no such milestone. */
  findIn(projectId: number, id: number): Promise<Milestone | null> {
    return this.database.of(Milestone).findOneBy({ projectId, id });
  }

  /** Finds a milestone by title and locks it against deletion until the unit of work ends. */
  holdByTitle(projectId: number, title: string): Promise<Milestone | null> {
    return this.database.of(Milestone).findOne({
      where: { projectId, title },
      lock: { mode: 'for_key_share' },
    });
  }

  /** As `findIn`, and locks it against deletion until the unit of work ends. */
  hold(projectId: number, id: number): Promise<Milestone | null> {
    return this.database.of(Milestone).findOne({
      where: { projectId, id },
      lock: { mode: 'for_key_share' },
    });
  }

  /** As `findIn`, and locks it against changes until the unit of work ends. */
  lock(projectId: number, id: number): Promise<Milestone | null> {
    return this.database.of(Milestone).findOne({
      where: { projectId, id },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /** Finds milestones by ID, with one statement. */
  findByIds(ids: readonly number[]): Promise<ReadonlyMap<number, Milestone>> {
    return findMilestones(this.database, ids);
  }

  /** Lists the milestones of a project, the newest first. */
  async ofProject(
    projectId: number,
    { state, iids, title, search }: MilestoneFilter,
    request: PageRequest,
  ): Promise<Page<Milestone>> {
    const query = this.database
      .of(Milestone)
      .createQueryBuilder('milestone')
      .where('milestone.project_id = :projectId', { projectId })
      .orderBy('milestone.id', 'DESC');
    if (state !== undefined) query.andWhere('milestone.state = :state', { state });
    if (iids !== undefined) query.andWhere('milestone.iid = ANY(:iids)', { iids: [...iids] });
    if (title !== undefined) query.andWhere('milestone.title = :title', { title });
    if (search !== undefined) {
      query.andWhere('(milestone.title ILIKE :text OR milestone.description ILIKE :text)', {
        text: containing(search),
      });
    }
    const text = { alias: 'milestone', text: 'description' };
    return describeInParts(
      await sizedPageOfQuery(this.database, query, text, request),
      ({ textBytes }) => textBytes,
      async (rows) => {
        const found = await this.findByIds(rows.map(({ id }) => id));
        return rows.flatMap(({ id }) => found.get(id) ?? []);
      },
    );
  }

  /** Inserts a milestone with the next number of its project. @throws if the title is taken */
  async insert(projectId: number, values: MilestoneValues): Promise<Milestone> {
    const [number] = await this.database.rows<{ iid: number }>(NEXT_NUMBER, [projectId]);
    const milestones = this.database.of(Milestone);
    const { identifiers } = await milestones.insert({ projectId, ...number, ...values });
    return milestones.findOneByOrFail({ id: (identifiers[0] as { id: number }).id });
  }

  /**
   * Inserts a milestone of another server with its number and its times, unless the project has one of this number or
   * title.
   */
  async insertImported(projectId: number, milestone: ImportedMilestone): Promise<boolean> {
    const { iid, title, description, state, dueDate, startDate, createdAt, updatedAt } = milestone;
    const rows = await this.database.rows(INSERT_IMPORTED, [
      projectId,
      iid,
      title,
      description,
      state,
      dueDate,
      startDate,
      createdAt,
      updatedAt,
    ]);
    return rows.length > 0;
  }

  /** Finds a milestone of a project; null without one of this title. */
  findByTitle(projectId: number, title: string): Promise<Milestone | null> {
    return this.database.of(Milestone).findOneBy({ projectId, title });
  }

  /** Returns the IDs of a project's milestones by title. */
  async idsByTitle(projectId: number): Promise<ReadonlyMap<string, number>> {
    const found = await this.database.of(Milestone).findBy({ projectId });
    return new Map(found.map(({ title, id }) => [title, id]));
  }

  /** @throws if the title is taken */
  async update(
    id: number,
    values: Partial<MilestoneValues & Pick<Milestone, 'state'>>,
  ): Promise<Milestone> {
    const milestones = this.database.of(Milestone);
    await milestones.update({ id }, values);
    return milestones.findOneByOrFail({ id });
  }

  /** Deletes a milestone. Issues and merge requests lose it. @returns false if it is deleted already */
  async remove(id: number): Promise<boolean> {
    const { affected } = await this.database.of(Milestone).delete({ id });
    return affected === 1;
  }
}

const NEXT_NUMBER = nextNumber(`SELECT $1::int, 'Milestone'`);

const INSERT_IMPORTED = `
  WITH number AS (${givenNumber(`
    SELECT id, 'Milestone', $2::int FROM projects
     WHERE id = $1 AND ${notDeleted()} FOR KEY SHARE`)}
  )
  INSERT INTO milestones (project_id, iid, title, description, state, due_date, start_date,
                          created_at, updated_at)
  SELECT project_id, $2::int, $3::varchar, $4, $5::varchar, $6::date, $7::date, $8::timestamptz,
         $9::timestamptz
    FROM number
  ON CONFLICT DO NOTHING
  RETURNING id`;
