import { Injectable } from '@nestjs/common';
import { containing, Database, PLANNED_EACH_TIME } from '../../../platform/database/index.js';
import {
  boundedCount,
  MAX_ID,
  Page,
  type PageRequest,
  windowOf,
} from '../../../platform/http/index.js';
import { Project } from '../project.entity.js';
import type { Bind, ProjectScope } from './project-scopes.js';

/** What lists of projects can be ordered by, and the entity's properties for it. */
const PROPERTIES = {
  id: 'id',
  name: 'name',
  path: 'path',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
  last_activity_at: 'lastActivityAt',
} as const satisfies Record<string, keyof Project>;

export type ProjectOrder = keyof typeof PROPERTIES;

export const PROJECT_ORDERS = Object.keys(PROPERTIES) as ProjectOrder[];

/** The filters that all lists of projects share (docs/reference/projects.md#lists). */
export interface ProjectFilters {
  /** True: archived projects only; false: none of them; undefined: both. */
  archived?: boolean | undefined;
  /** 0 private, 10 internal, 20 public. */
  visibilityLevel?: number | undefined;
  /** What name, path, description or the namespace's name contains, whatever its case. */
  search?: string | undefined;
  /** What the name contains, whatever its case. */
  name?: string | undefined;
  /** Default: the time of creation. */
  orderBy?: ProjectOrder | undefined;
  /** Default: descending. */
  sort?: 'asc' | 'desc' | undefined;
}

const WHOLE: PageRequest = { page: 1, per_page: MAX_ID };

/**
 * The one query behind all lists of projects. Its conditions come in parts that exclude each other:
 * each part yields the page's candidates, or its share of the count, by an index of its own and stops
 * early, which one statement with OR between them could not.
 */
@Injectable()
export class ProjectListQuery {
  constructor(private readonly database: Database) {}

  /** One page: a statement for the projects and one for their number. */
  async page(
    scope: ProjectScope,
    filters: ProjectFilters,
    request: PageRequest,
  ): Promise<Page<Project>> {
    const counted = await this.count(scope, filters);
    const rows = counted === 0 ? [] : await this.select(scope, filters, request);
    return Page.cut(rows, counted, request);
  }

  /** The whole list, in the default order, for answers that embed it: one statement. */
  all(scope: ProjectScope): Promise<Project[]> {
    return this.select(scope, {}, WHOLE);
  }

  private async select(
    scope: ProjectScope,
    filters: ProjectFilters,
    request: PageRequest,
  ): Promise<Project[]> {
    const { offset, limit } = windowOf(request);
    const { orderBy = 'created_at', sort = 'desc' } = filters;
    // Ties fall to the ID in the same direction, so that pages neither overlap nor leave out.
    const order = (table: string) => `${table}.${orderBy} ${sort}, ${table}.id ${sort}`;
    const columns = [...new Set(['id', orderBy])].map((column) => `p.${column}`).join(', ');
    const direction = sort === 'asc' ? 'ASC' : 'DESC';
    const { parts, values } = conditions(scope, filters, estimated);
    const candidates = parts.map(
      (condition) =>
        `(SELECT ${columns} FROM projects p WHERE ${condition}
           ORDER BY ${order('p')} LIMIT ${String(offset + limit)})`,
    );
    const chosen = `
      SELECT c.id FROM (${candidates.join(' UNION ALL ')}) c
       ORDER BY ${order('c')} OFFSET ${String(offset)} LIMIT ${String(limit)}`;
    return this.database
      .of(Project)
      .createQueryBuilder('project')
      .comment(PLANNED_EACH_TIME)
      .where(`project.id IN (${chosen})`, values)
      .orderBy(`project.${PROPERTIES[orderBy]}`, direction)
      .addOrderBy('project.id', direction)
      .getMany();
  }

  private count(scope: ProjectScope, filters: ProjectFilters): Promise<number> {
    const { parts, values } = conditions(scope, filters, lookedUp);
    const counted = parts.map((condition) => `SELECT 1 FROM projects p WHERE ${condition}`);
    const [sql, parameters] = this.database.manager
      .createQueryBuilder()
      .comment(PLANNED_EACH_TIME)
      .select('*')
      .from(`(${counted.join(' UNION ALL ')})`, 'counted')
      .setParameters(values)
      .getQueryAndParameters();
    return boundedCount(this.database, sql, parameters);
  }
}

/**
 * How the namespaces whose names match stand in a statement. In an ordered one PostgreSQL has to
 * estimate how many there are: to search many rows in order, or to gather few.
 */
const estimated = (matching: string) => `IN (${matching})`;
/** A count looks them up first, rather than compare the texts of every project in between. */
const lookedUp = (matching: string) => `= ANY (ARRAY(${matching}))`;

/** The conditions, none of which a project can share with another one, and their parameters. */
function conditions(
  scope: ProjectScope,
  filters: ProjectFilters,
  among: (matching: string) => string,
) {
  const values: Record<string, unknown> = {};
  const bind: Bind = (value) => {
    const name = `value${String(Object.keys(values).length)}`;
    values[name] = value;
    return `:${name}`;
  };
  const { archived, visibilityLevel: level } = filters;
  const always = [
    'p.deleted_at IS NULL',
    ...(archived === undefined ? [] : [archived ? 'p.archived' : 'NOT p.archived']),
    ...(level === undefined ? [] : [`p.visibility_level = ${String(level)}`]),
    ...(filters.name === undefined ? [] : [`p.name ILIKE ${bind(containing(filters.name))}`]),
  ];
  const matches =
    filters.search === undefined ? ['true'] : searches(bind(containing(filters.search)), among);
  const parts = scope(bind, level).flatMap((place) =>
    matches.map((match) => [...always, `(${place})`, `(${match})`].join(' AND ')),
  );
  return { parts, values };
}

/** By the project's own texts, and by the namespace's name where those do not match. */
function searches(pattern: string, among: (matching: string) => string): string[] {
  const ownTexts = `(p.name ILIKE ${pattern} OR p.path ILIKE ${pattern} OR p.description ILIKE ${pattern})`;
  const matching = `SELECT sn.id FROM namespaces sn WHERE sn.name ILIKE ${pattern}`;
  return [ownTexts, `p.namespace_id ${among(matching)} AND ${ownTexts} IS NOT TRUE`];
}
