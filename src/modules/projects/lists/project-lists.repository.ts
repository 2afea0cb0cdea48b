import { Injectable } from '@nestjs/common';
import { containing, Database, PLANNED_EACH_TIME } from '../../../platform/database/index.js';
import { boundedCount, Page, type PageRequest, windowOf } from '../../../platform/pages/index.js';
import { Project } from '../model/project.entity.js';
import type { Bind, ProjectScope } from './project-scopes.sql.js';

/** The columns that lists of projects can be ordered by, with the properties of the entity. */
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
  /** Part of name, path, description or the namespace's name, in any case. */
  search?: string | undefined;
  /** Part of the name, in any case. */
  name?: string | undefined;
  /** Default: the time of creation. */
  orderBy?: ProjectOrder | undefined;
  /** Default: descending. */
  sort?: 'asc' | 'desc' | undefined;
}

/**
 * Selects and counts the projects of all lists. The conditions are split into disjoint parts. Each part yields its
 * first rows, or its share of the count, by its own index and stops early, which a statement with OR between them
 * could not (docs/decisions/0021-lists-in-parts.md).
 */
@Injectable()
export class ProjectListsRepository {
  constructor(private readonly database: Database) {}

  /** Lists one page, with a statement for the projects and one for their number. */
  async list(
    scope: ProjectScope,
    filters: ProjectFilters,
    request: PageRequest,
  ): Promise<Page<Project>> {
    const counted = await this.count(scope, filters);
    const rows = counted === 0 ? [] : await this.select(scope, filters, request);
    return Page.cut(rows, counted, request);
  }

  /** Lists the newest projects, with one statement. */
  async listNewest(scope: ProjectScope, limit: number): Promise<Project[]> {
    // `select` reads one more than a page, to know whether there is a next one.
    return (await this.select(scope, {}, { page: 1, per_page: limit })).slice(0, limit);
  }

  private async select(
    scope: ProjectScope,
    filters: ProjectFilters,
    request: PageRequest,
  ): Promise<Project[]> {
    const { offset, limit } = windowOf(request);
    const { orderBy = 'created_at', sort = 'desc' } = filters;
    // The ID breaks ties, so that pages neither overlap nor miss a project.
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
 * The condition on matching namespaces in an ordered list. PostgreSQL has to estimate their number: it searches
 * the projects in order when there are many, and sorts those of the namespaces when there are few.
 */
const estimated = (matching: string) => `IN (${matching})`;
/** The condition in a count: looks the namespaces up first, instead of comparing the texts of every project. */
const lookedUp = (matching: string) => `= ANY (ARRAY(${matching}))`;

/** Builds the conditions of disjoint parts, with their parameters. */
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
  const parts = scope(bind, level).flatMap((condition) =>
    matches.map((match) => [...always, `(${condition})`, `(${match})`].join(' AND ')),
  );
  return { parts, values };
}

/** Two disjoint parts: the project's own texts match, or only the namespace's name does. */
function searches(pattern: string, among: (matching: string) => string): string[] {
  const ownTexts = `(p.name ILIKE ${pattern} OR p.path ILIKE ${pattern} OR p.description ILIKE ${pattern})`;
  const matching = `SELECT sn.id FROM namespaces sn WHERE sn.name ILIKE ${pattern}`;
  return [ownTexts, `p.namespace_id ${among(matching)} AND ${ownTexts} IS NOT TRUE`];
}
