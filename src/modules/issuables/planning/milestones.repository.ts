import { Injectable } from '@nestjs/common';
import {
  checked,
  containing,
  Database,
  notDeleted,
  opaqueArray,
} from '../../../platform/database/index.js';
import {
  boundedCount,
  describeInParts,
  Page,
  type PageRequest,
  type SizedRow,
  windowOf,
} from '../../../platform/pagination/index.js';
import { givenNumber, nextGroupNumber, nextNumber } from '../model/internal-id.entity.js';
import { Milestone, type MilestoneState } from './milestone.entity.js';
import type { PlanningOwner, PlanningScope } from './planning-owner.js';
import { lockEqual, lockNames, lockNamesOf, rowsIn, shareNames } from './planning.sql.js';

export type MilestoneValues = Pick<Milestone, 'title' | 'description' | 'dueDate' | 'startDate'>;

/** A milestone of another server. */
type ImportedMilestone = Omit<Milestone, 'id' | 'projectId' | 'groupId'>;

export interface MilestoneFilter {
  /** Both when absent. */
  state?: MilestoneState | undefined;
  /** Numbers within the project or group; all when absent. */
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

  /** Null if the project or group itself has no such milestone. */
  findIn(owner: PlanningOwner, id: number): Promise<Milestone | null> {
    return this.database.of(Milestone).findOneBy({ ...owner, id });
  }

  /** Finds a milestone of a project or its group by title and locks it against deletion until the unit of work ends. */
  holdByTitle(projectId: number, title: string): Promise<Milestone | null> {
    return this.holdVisible(projectId, BY_TITLE, title);
  }

  /** Finds a milestone of a project or its group and locks it against deletion until the unit of work ends. */
  hold(projectId: number, id: number): Promise<Milestone | null> {
    return this.holdVisible(projectId, BY_ID, id);
  }

  /** As `findIn`, and locks its owner's names and itself against changes until the unit of work ends. */
  async lock(owner: PlanningOwner, id: number): Promise<Milestone | null> {
    await lockNamesOf(this.database, { projectId: null, groupId: null, ...owner });
    return this.database.of(Milestone).findOne({
      where: { ...owner, id },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /** Finds milestones by ID, with one statement. */
  findByIds(ids: readonly number[]): Promise<ReadonlyMap<number, Milestone>> {
    return findMilestones(this.database, ids);
  }

  /** Lists the milestones of a scope, the newest first. */
  async list(
    scope: PlanningScope,
    filter: MilestoneFilter,
    request: PageRequest,
  ): Promise<Page<Milestone>> {
    const parameters: unknown[] = [];
    const parameter = (value: unknown): string => `$${String(parameters.push(value))}`;
    const rows = rowsIn('milestones', scope, conditionOf(filter, parameter), parameter);
    const from = `FROM (${rows}) milestone`;
    const counted = await boundedCount(this.database, `SELECT 1 ${from}`, [...parameters]);
    const { offset, limit } = windowOf(request);
    const window = `OFFSET ${parameter(offset)} LIMIT ${parameter(limit)}`;
    const sized = await this.database.rows<SizedRow>(
      `SELECT id, coalesce(octet_length(description), 0) AS "textBytes"
         ${from} ORDER BY id DESC ${window}`,
      parameters,
    );
    return describeInParts(
      Page.cut(sized, counted, request),
      ({ textBytes }) => textBytes,
      async (part) => {
        const found = await this.findByIds(part.map(({ id }) => id));
        return part.flatMap(({ id }) => found.get(id) ?? []);
      },
    );
  }

  /**
   * Inserts a milestone with the next number of its project or group.
   * @returns null if the group is deleted; the caller holds a project
   * @throws if the title is taken
   */
  async insert(owner: PlanningOwner, values: MilestoneValues): Promise<Milestone | null> {
    const [sql, ownerId] =
      'projectId' in owner ? [NEXT_NUMBER, owner.projectId] : [NEXT_NUMBER_IN_GROUP, owner.groupId];
    const [number] = await this.database.rows<{ iid: number }>(sql, [ownerId]);
    if (number === undefined) return null;
    const milestones = this.database.of(Milestone);
    const { identifiers } = await milestones.insert({ ...owner, ...number, ...values });
    return milestones.findOneByOrFail({ id: (identifiers[0] as { id: number }).id });
  }

  /**
   * Inserts a milestone of another server with its number and its times, unless the project has one of this number or
   * title, or its group one of this title.
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

  /** Finds a milestone of a project, else of the group, by title. */
  async findByTitle(
    { projectId, groupId }: PlanningScope,
    title: string,
  ): Promise<Milestone | null> {
    const milestones = this.database.of(Milestone);
    const own = projectId === undefined ? null : await milestones.findOneBy({ projectId, title });
    return own ?? (groupId === undefined ? null : milestones.findOneBy({ groupId, title }));
  }

  /** Returns the IDs of the milestones of a scope by title. */
  async idsByTitle(scope: PlanningScope): Promise<ReadonlyMap<string, number>> {
    const parameters: unknown[] = [];
    const parameter = (value: unknown): string => `$${String(parameters.push(value))}`;
    const found = await this.database.rows<{ id: number; title: string }>(
      `SELECT id, title FROM (${rowsIn('milestones', scope, 'true', parameter)}) milestone`,
      parameters,
    );
    return new Map(found.map(({ title, id }) => [title, id]));
  }

  /** @throws if the title is taken */
  async update(id: number, values: Partial<Omit<Milestone, 'id'>>): Promise<Milestone> {
    const milestones = this.database.of(Milestone);
    await milestones.update({ id }, values);
    return milestones.findOneByOrFail({ id });
  }

  /** Deletes a milestone. Issues and merge requests lose it. @returns false if it is deleted already */
  async remove(id: number): Promise<boolean> {
    const { affected } = await this.database.of(Milestone).delete({ id });
    return affected === 1;
  }

  /**
   * Makes a milestone of a project one of its group, with a number there, in place of all that have its title in the group's projects.
   * Their issues, merge requests and releases keep it.
   * @returns null if the milestone is no longer one of the group's projects
   */
  async promote(id: number, groupId: number): Promise<Milestone | null> {
    await lockNames(this.database, [groupId]);
    const equal = await this.database.rows<{ id: number }>(LOCK_EQUAL, [id, groupId]);
    const ids = equal.map((milestone) => milestone.id);
    if (!ids.includes(id)) return null;
    const others = ids.filter((other) => other !== id);
    for (const statement of MERGE) await this.database.rows(statement, [id, others]);
    const [number] = await this.database.rows<{ iid: number }>(NEXT_NUMBER_IN_GROUP, [groupId]);
    if (number === undefined) return null;
    return this.update(id, { ...number, projectId: null, groupId });
  }

  /** @param condition names the milestone by the parameter $1 */
  private async holdVisible(
    projectId: number,
    condition: string,
    value: unknown,
  ): Promise<Milestone | null> {
    const hold = async (owner: 'project_id' | 'group_id', ownerId: number) => {
      const from = holdWhere(condition, owner);
      const [found] = await this.database.entities(Milestone, 'm', from, [value, ownerId]);
      return found ?? null;
    };
    const own = await hold('project_id', projectId);
    if (own !== null) return own;
    const groupId = await shareNames(this.database, projectId);
    return groupId === null ? null : hold('group_id', groupId);
  }
}

const BY_ID = 'm.id = $1';
const BY_TITLE = 'm.title = $1';

/** An ID needs no further index. */
const holdWhere = (condition: string, owner: string): string => `
  FROM milestones m WHERE ${condition}
   AND ${condition === BY_ID ? checked(`m.${owner} = $2`) : `m.${owner} = $2`} FOR KEY SHARE`;

function conditionOf(
  { state, iids, title, search }: MilestoneFilter,
  parameter: (value: unknown) => string,
): string {
  const text = search === undefined ? '' : parameter(containing(search));
  const conditions = [
    ...(state === undefined ? [] : [`state = ${parameter(state)}`]),
    ...(iids === undefined ? [] : [`iid = ANY(${parameter([...iids])}::int[])`]),
    ...(title === undefined ? [] : [`title = ${parameter(title)}`]),
    ...(text === '' ? [] : [`(title ILIKE ${text} OR description ILIKE ${text})`]),
  ];
  return conditions.length === 0 ? 'true' : conditions.join(' AND ');
}

const LOCK_EQUAL = lockEqual('milestones', 'title');

/** @param $1 the milestone that stays @param $2 the others of the title */
const MERGE = [
  'UPDATE issues SET milestone_id = $1 WHERE milestone_id = ANY($2::int[])',
  'UPDATE merge_requests SET milestone_id = $1 WHERE milestone_id = ANY($2::int[])',
  `INSERT INTO release_milestones (release_id, milestone_id)
   SELECT release_id, $1 FROM release_milestones WHERE milestone_id = ANY($2::int[])
   ON CONFLICT DO NOTHING`,
  'DELETE FROM milestones WHERE id = ANY($2::int[]) AND id <> $1',
];

const NEXT_NUMBER_IN_GROUP = nextGroupNumber(`
  SELECT id, 'Milestone' FROM namespaces WHERE id = $1 AND ${notDeleted()} FOR KEY SHARE`);

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
   WHERE NOT EXISTS (
     SELECT FROM projects p JOIN milestones m ON m.group_id = p.namespace_id
      WHERE p.id = number.project_id AND m.title = $3::varchar)
  ON CONFLICT DO NOTHING
  RETURNING id`;
