import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Database } from '../../platform/database/index.js';
import { COUNTED_ITEMS, Page, type PageRequest, windowOf } from '../../platform/http/index.js';
import { NamespacesRepository } from '../groups/index.js';
import { UsersRepository } from '../users/index.js';
import { ProjectMember } from './members/project-member.entity.js';
import { Project } from './project.entity.js';
import type { ProjectWithParts } from './project.presenter.js';

export type NewProject = Pick<
  Project,
  'namespaceId' | 'creatorId' | 'name' | 'path' | 'visibilityLevel' | 'runnersTokenSealed'
> &
  Partial<Project>;

const MEMBERSHIP = `(project.id IN (
    SELECT m.project_id FROM project_members m
     WHERE m.user_id = :userId
       AND (m.expires_at IS NULL OR m.expires_at > (now() AT TIME ZONE 'UTC')::date))
  OR project.namespace_id IN (SELECT n.id FROM namespaces n WHERE n.owner_id = :userId))`;

@Injectable()
export class ProjectsRepository {
  constructor(
    private readonly database: Database,
    private readonly namespaces: NamespacesRepository,
    private readonly users: UsersRepository,
  ) {}

  async insert(project: NewProject): Promise<Project> {
    const projects = this.database.of(Project);
    const { identifiers } = await projects.insert(project);
    return projects.findOneByOrFail({ id: (identifiers[0] as { id: number }).id });
  }

  async addMember(projectId: number, userId: number, accessLevel: number): Promise<void> {
    await this.database.of(ProjectMember).insert({ projectId, userId, accessLevel });
  }

  /** Makes creations and quota checks in one namespace wait for each other. */
  async lockNamespace(namespaceId: number): Promise<void> {
    await this.database.rows('SELECT 1 FROM namespaces WHERE id = $1 FOR UPDATE', [namespaceId]);
  }

  findById(id: number): Promise<Project | null> {
    return this.database
      .of(Project)
      .createQueryBuilder('project')
      .where('project.id = :id AND project.deleted_at IS NULL', { id })
      .getOne();
  }

  /** Hides the project for good; false when that was done before. */
  async markDeleted(id: number): Promise<boolean> {
    const rows = await this.database.rows(
      'UPDATE projects SET deleted_at = now() WHERE id = $1 AND deleted_at IS NULL RETURNING id',
      [id],
    );
    return rows.length > 0;
  }

  /** Removes the row of a deleted project and all that hangs on it. */
  async purge(id: number): Promise<void> {
    await this.database.rows('DELETE FROM projects WHERE id = $1 AND deleted_at IS NOT NULL', [id]);
  }

  /** Of the given IDs those that belong to a project, deleted ones included. */
  async existing(ids: readonly number[]): Promise<Set<number>> {
    const rows = await this.database.rows<{ id: number }>(
      'SELECT id FROM projects WHERE id = ANY($1::int[])',
      [ids],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** The projects somebody is a member of, newest first (specification 4.4, `GET /projects`). */
  async listForMember(userId: number, request: PageRequest): Promise<Page<Project>> {
    const query = this.database
      .of(Project)
      .createQueryBuilder('project')
      .where('project.deleted_at IS NULL AND NOT project.archived')
      .andWhere(MEMBERSHIP, { userId });
    const { offset, limit } = windowOf(request);
    const rows = await query
      .clone()
      .orderBy('project.createdAt', 'DESC')
      .addOrderBy('project.id', 'DESC')
      .offset(offset)
      .limit(limit)
      .getMany();
    return Page.cut(rows, await this.boundedCount(query), request);
  }

  /** Adds what an answer embeds, one statement for each kind of it. */
  async withParts(
    projects: readonly Project[],
    memberId: number | undefined,
  ): Promise<ProjectWithParts[]> {
    if (projects.length === 0) return [];
    const namespaces = byId(
      await this.namespaces.findByIds(projects.map(({ namespaceId }) => namespaceId)),
    );
    const ownerIds = [...namespaces.values()].flatMap(({ ownerId }) => ownerId ?? []);
    const owners = byId(ownerIds.length === 0 ? [] : await this.users.findByIds(ownerIds));
    const memberships =
      memberId === undefined ? undefined : await this.memberships(memberId, projects);
    return projects.map((project) => {
      const namespace = namespaces.get(project.namespaceId);
      if (namespace === undefined) throw new Error(`Project ${String(project.id)} is nowhere`);
      const owner = owners.get(namespace.ownerId ?? 0) ?? null;
      const membership = memberships && (memberships.get(project.id) ?? null);
      return { project, namespace, owner, ...(membership === undefined ? {} : { membership }) };
    });
  }

  private async memberships(
    userId: number,
    projects: readonly Project[],
  ): Promise<Map<number, ProjectMember>> {
    const members = await this.database
      .of(ProjectMember)
      .createQueryBuilder('member')
      .where('member.user_id = :userId AND member.project_id = ANY(:ids)', {
        userId,
        ids: projects.map(({ id }) => id),
      })
      .getMany();
    return new Map(members.map((member) => [member.projectId, member]));
  }

  /** Counts no further than totals are reported, so that a long list costs no more than a short one. */
  private async boundedCount(query: SelectQueryBuilder<Project>): Promise<number> {
    const [sql, parameters] = query
      .clone()
      .select('1')
      .limit(COUNTED_ITEMS + 1)
      .getQueryAndParameters();
    const [row] = await this.database.rows<{ count: number }>(
      `SELECT count(*)::int AS count FROM (${sql}) AS bounded`,
      parameters,
    );
    return row?.count ?? 0;
  }
}

function byId<Record extends { id: number }>(records: readonly Record[]): Map<number, Record> {
  return new Map(records.map((record) => [record.id, record]));
}
