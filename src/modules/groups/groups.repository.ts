import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import {
  containing,
  Database,
  notDeleted,
  rowById,
  rowsByKey,
  rowsWhere,
  UNKNOWN_ID,
} from '../../platform/database/index.js';
import { unauthenticated } from '../../platform/errors/index.js';
import { type Page, pageOfQuery, type PageRequest } from '../../platform/pagination/index.js';
import {
  Level,
  memberGroupIds,
  namespaceByPath,
  projectsIn,
  type Subject,
  unexpired,
  type Visibility,
  VISIBILITY_LEVEL,
  visibleLevels,
} from '../authorization/index.js';
import { Namespace } from './namespaces/namespace.entity.js';
import { MATCHES } from './namespaces/namespaces.repository.js';

export type GroupOrder = 'name' | 'path' | 'id';

/** The filters and the order of lists of groups. */
export interface GroupFilters {
  /** Also lists groups that the caller may see without being a member. */
  allAvailable: boolean;
  /** Only groups of which the caller is a member with this level at least; for administrators, too. */
  leastLevel?: number | undefined;
  visibility?: Visibility | undefined;
  /** IDs of groups to leave out. */
  skip: readonly number[];
  /** Part of the name or path, in any case. */
  search: string | undefined;
  orderBy: GroupOrder;
  sort: 'asc' | 'desc';
  /** In the order of names: only groups behind this one. */
  behind?: { readonly name: string; readonly id: number } | undefined;
}

type NewGroup = Pick<Namespace, 'name' | 'path' | 'visibility'> &
  Partial<Pick<Namespace, 'description' | 'lfsEnabled' | 'requestAccessEnabled'>>;

export type GroupChanges = Partial<NewGroup>;

/** A part of FROM: the group with a name, unless it is deleted. @param name as in `rowsByKey` */
const groupByName = (name: string): string =>
  rowsByKey(
    'namespaces',
    'namespaces.name',
    name,
    'namespaces.owner_id IS NULL AND namespaces.deleted_at IS NULL',
  );

/** Groups of which the caller is a member with a level at least. */
const AT_LEVEL = `namespace.id = ANY(ARRAY(
  SELECT gm.group_id FROM group_members gm
   WHERE gm.user_id = :member AND gm.access_level >= :leastLevel AND ${unexpired('gm.expires_at')}))`;

const OWN = `namespace.id = ANY(ARRAY(${memberGroupIds(':caller')}))`;

/** Groups with a project of which the caller is a member, directly or by a share. */
const WITH_OWN_PROJECT = `namespace.id = ANY(ARRAY(
  SELECT p.namespace_id FROM project_members pm
    JOIN ${rowById('projects', 'pm.project_id')} p ON p.deleted_at IS NULL
   WHERE pm.user_id = :caller AND ${unexpired('pm.expires_at')}
  UNION ALL
  SELECT p.namespace_id FROM (${memberGroupIds(':caller')}) own
    JOIN ${rowsWhere('project_group_links', 'group_id = own.group_id')} pl ON ${unexpired('pl.expires_at')}
    JOIN ${rowById('projects', 'pl.project_id')} p ON p.deleted_at IS NULL
    JOIN ${rowById('namespaces', 'p.namespace_id')} pn ON NOT pn.share_with_group_lock))`;

const SHOWN = 'namespace.visibility_level = ANY(:levels)';

const AVAILABLE = `(${SHOWN} OR ${OWN} OR ${WITH_OWN_PROJECT})`;

/** Groups: the namespaces without an owner. */
@Injectable()
export class GroupsRepository {
  constructor(private readonly database: Database) {}

  /** @throws DomainError unauthenticated for what anonymous callers have none of */
  list(caller: Subject, filters: GroupFilters, request: PageRequest): Promise<Page<Namespace>> {
    const { leastLevel, visibility } = filters;
    const query = this.groups();
    if (caller === null) {
      if (leastLevel !== undefined) throw unauthenticated();
      query.andWhere(SHOWN, { levels: visibleLevels(caller) });
    } else if (!caller.admin) {
      query.andWhere(filters.allAvailable ? AVAILABLE : OWN, {
        caller: caller.id,
        ...(filters.allAvailable ? { levels: visibleLevels(caller) } : {}),
      });
    }
    if (caller !== null && leastLevel !== undefined) {
      query.andWhere(AT_LEVEL, { member: caller.id, leastLevel });
    }
    if (visibility !== undefined) {
      const visibilityLevel = VISIBILITY_LEVEL[visibility];
      query.andWhere('namespace.visibility_level = :visibilityLevel', { visibilityLevel });
    }
    if (filters.skip.length > 0)
      query.andWhere('namespace.id <> ALL(:skip)', { skip: filters.skip });
    if (filters.search !== undefined) {
      query.andWhere(MATCHES, { pattern: containing(filters.search) });
    }
    if (filters.behind !== undefined) {
      const { name, id: behindId } = filters.behind;
      const comparison = filters.sort === 'asc' ? '>' : '<';
      query.andWhere(`(namespace.name, namespace.id) ${comparison} (:behindName, :behindId)`, {
        behindName: name,
        behindId,
      });
    }
    return this.page(query, filters, request);
  }

  /** Lists the groups of which a user is an owner, by name. */
  listOwned(userId: number, request: PageRequest): Promise<Page<Namespace>> {
    const query = this.groups().andWhere(AT_LEVEL, { member: userId, leastLevel: Level.OWNER });
    return this.page(query, { orderBy: 'name', sort: 'asc' }, request);
  }

  async insert(group: NewGroup): Promise<Namespace> {
    const namespaces = this.database.of(Namespace);
    const { identifiers } = await namespaces.insert(group);
    return namespaces.findOneByOrFail({ id: (identifiers[0] as { id: number }).id });
  }

  async update(id: number, changes: GroupChanges): Promise<Namespace> {
    const namespaces = this.database.of(Namespace);
    await namespaces.update({ id }, changes);
    return namespaces.findOneByOrFail({ id });
  }

  /**
   * Adds the first owner of a new group, and locks the account against deletion to the end of the unit of
   * work.
   * @returns false when the account is deleted: the group would have no owner
   */
  async addOwner(groupId: number, userId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `INSERT INTO group_members (group_id, user_id, access_level)
       SELECT $1, id, ${String(Level.OWNER)} FROM users
        WHERE id = $2 AND ${notDeleted()} FOR SHARE
       RETURNING group_id`,
      [groupId, userId],
    );
    return rows.length > 0;
  }

  /**
   * Returns which of a name and a path are taken: names are unique over groups, paths over groups and users.
   * @param texts.id the group itself, when it exists
   */
  async findTaken(texts: {
    id?: number;
    name?: string;
    path?: string;
  }): Promise<('name' | 'path')[]> {
    const [row] = await this.database.rows<{ name: boolean; path: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM ${groupByName('$1')} n WHERE n.id <> $3) AS name,
              EXISTS (SELECT 1 FROM ${namespaceByPath('$2')} n WHERE n.id <> $3) AS path`,
      [texts.name ?? null, texts.path ?? null, texts.id ?? UNKNOWN_ID],
    );
    return (['name', 'path'] as const).filter((field) => row?.[field] === true);
  }

  /** Whether a project of the group is more visible. */
  async hasMoreVisibleProject(groupId: number, visibility: Visibility): Promise<boolean> {
    const [row] = await this.database.rows<{ holds: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM ${projectsIn('$1')} p WHERE p.visibility_level > $2) AS holds`,
      [groupId, VISIBILITY_LEVEL[visibility]],
    );
    return row?.holds === true;
  }

  private groups(): SelectQueryBuilder<Namespace> {
    return this.database
      .of(Namespace)
      .createQueryBuilder('namespace')
      .where('namespace.owner_id IS NULL AND namespace.deleted_at IS NULL');
  }

  private page(
    query: SelectQueryBuilder<Namespace>,
    { orderBy, sort }: Pick<GroupFilters, 'orderBy' | 'sort'>,
    request: PageRequest,
  ): Promise<Page<Namespace>> {
    const direction = sort === 'asc' ? 'ASC' : 'DESC';
    if (orderBy !== 'id') query.addOrderBy(`namespace.${orderBy}`, direction);
    query.addOrderBy('namespace.id', direction);
    return pageOfQuery(this.database, query, request);
  }
}
