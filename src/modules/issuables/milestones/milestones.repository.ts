import { Injectable } from '@nestjs/common';
import { Database, plannedOnce } from '../../../platform/database/index.js';
import {
  describeInParts,
  type Page,
  type PageRequest,
  sizedPageOfQuery,
} from '../../../platform/http/index.js';
import type { MilestoneValues } from './milestone.rules.js';
import { Milestone, type MilestoneState } from './milestone.entity.js';

export interface MilestoneFilter {
  /** Both when absent. */
  state?: MilestoneState | undefined;
  /** Numbers within the project; all when absent. */
  iids?: readonly number[] | undefined;
}

@Injectable()
export class MilestonesRepository {
  constructor(private readonly database: Database) {}

  /** Null for what is no milestone of the project. */
  findIn(projectId: number, id: number): Promise<Milestone | null> {
    return this.database.of(Milestone).findOneBy({ projectId, id });
  }

  /** The project's milestone of a title, which is not deleted before the unit of work is over. */
  holdByTitle(projectId: number, title: string): Promise<Milestone | null> {
    return this.database.of(Milestone).findOne({
      where: { projectId, title },
      lock: { mode: 'for_key_share' },
    });
  }

  /**
   * As `findIn`, for whoever is about to refer to it: it is not deleted before the caller's unit of
   * work is over.
   */
  hold(projectId: number, id: number): Promise<Milestone | null> {
    return this.database.of(Milestone).findOne({
      where: { projectId, id },
      lock: { mode: 'for_key_share' },
    });
  }

  /** As `findIn`; nobody else changes it before the caller's unit of work is over. */
  lock(projectId: number, id: number): Promise<Milestone | null> {
    return this.database.of(Milestone).findOne({
      where: { projectId, id },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /** By ID, with one statement. */
  async findByIds(ids: readonly number[]): Promise<ReadonlyMap<number, Milestone>> {
    if (ids.length === 0) return new Map();
    const found = await this.database
      .of(Milestone)
      .createQueryBuilder('milestone')
      .where(`milestone.id = ANY(${plannedOnce(':ids', 'int')})`, { ids })
      .getMany();
    return new Map(found.map((milestone) => [milestone.id, milestone]));
  }

  /** Those of a project, the newest first. */
  async ofProject(
    projectId: number,
    { state, iids }: MilestoneFilter,
    request: PageRequest,
  ): Promise<Page<Milestone>> {
    const query = this.database
      .of(Milestone)
      .createQueryBuilder('milestone')
      .where('milestone.project_id = :projectId', { projectId })
      .orderBy('milestone.id', 'DESC');
    if (state !== undefined) query.andWhere('milestone.state = :state', { state });
    if (iids !== undefined) query.andWhere('milestone.iid = ANY(:iids)', { iids: [...iids] });
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

  /** Fails where the title is taken. */
  async insert(projectId: number, iid: number, values: MilestoneValues): Promise<Milestone> {
    const milestones = this.database.of(Milestone);
    const { identifiers } = await milestones.insert({ projectId, iid, ...values });
    return milestones.findOneByOrFail({ id: (identifiers[0] as { id: number }).id });
  }

  /** Fails where the title is taken. */
  async update(
    id: number,
    values: Partial<MilestoneValues & Pick<Milestone, 'state'>>,
  ): Promise<Milestone> {
    const milestones = this.database.of(Milestone);
    await milestones.update({ id }, values);
    return milestones.findOneByOrFail({ id });
  }

  /** What refers to it loses it. False for what is not there any more. */
  async remove(id: number): Promise<boolean> {
    const { affected } = await this.database.of(Milestone).delete({ id });
    return affected === 1;
  }
}
