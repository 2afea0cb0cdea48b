import { Injectable } from '@nestjs/common';
import {
  containing,
  Database,
  inOrderOf,
  notDeleted,
  opaqueArray,
} from '../../../platform/database/index.js';
import { type Page, pageOfQuery, type PageRequest } from '../../../platform/pagination/index.js';
import { type Account, memberGroupIds, namespaceByPath } from '../../authorization/index.js';
import { Namespace } from './namespace.entity.js';

const TRIED_PATHS = 100;

@Injectable()
export class NamespacesRepository {
  constructor(private readonly database: Database) {}

  findById(id: number): Promise<Namespace | null> {
    return this.findOne(`FROM namespaces n WHERE n.id = $1 AND ${notDeleted('n')}`, id);
  }

  findByIds(ids: readonly number[]): Promise<Namespace[]> {
    return this.database
      .of(Namespace)
      .createQueryBuilder('namespace')
      .where('namespace.id = ANY(:ids)', { ids: [...new Set(ids)] })
      .getMany();
  }

  /** Finds a namespace by its path, else by its name, in any case. */
  async findByPathOrName(text: string): Promise<Namespace | null> {
    const isNamed = `FROM namespaces n WHERE lower(n.name) = lower($1) AND ${notDeleted('n')} ORDER BY n.id LIMIT 1`;
    return (await this.findByPath(text)) ?? (await this.findOne(isNamed, text));
  }

  /** Finds a namespace by its path, in any case. */
  findByPath(path: string): Promise<Namespace | null> {
    return this.findOne(`FROM ${namespaceByPath('$1')} n`, path);
  }

  /** Finds a path that is not taken: the given one with a number behind it; null when all that are tried are taken. */
  async findFreePath(path: string): Promise<string | null> {
    const [row] = await this.database.rows<{ path: string }>(
      `SELECT $1 || tried.number AS path
         FROM generate_series(1, ${String(TRIED_PATHS)}) AS tried (number)
        WHERE NOT EXISTS (SELECT 1 FROM namespaces n
                           WHERE lower(n.path) = lower($1 || tried.number) AND ${notDeleted('n')})
        ORDER BY tried.number LIMIT 1`,
      [path],
    );
    return row?.path ?? null;
  }

  findPersonal(userId: number): Promise<Namespace | null> {
    return this.findOne(`FROM namespaces n WHERE n.owner_id = $1 AND ${notDeleted('n')}`, userId);
  }

  /**
   * Lists the personal namespace and the groups of the caller, for administrators all, newest first.
   * @param search part of the name or path, in any case
   */
  list(
    caller: Account,
    search: string | undefined,
    request: PageRequest,
  ): Promise<Page<Namespace>> {
    const query = this.database
      .of(Namespace)
      .createQueryBuilder('namespace')
      .where('namespace.deleted_at IS NULL')
      .orderBy('namespace.id', 'DESC');
    if (!caller.admin) {
      query.andWhere(
        `namespace.id = ANY(ARRAY(
           SELECT own.id FROM namespaces own WHERE own.owner_id = :caller
            UNION ALL ${memberGroupIds(':caller')}))`,
        { caller: caller.id },
      );
    }
    if (search !== undefined) query.andWhere(MATCHES, { pattern: containing(search) });
    return pageOfQuery(this.database, query, request);
  }

  /**
   * Locks a namespace to the end of the unit of work and returns its current state, null when it is
   * deleted. Whatever adds projects, members or shares to a namespace, or relies on its visibility, holds
   * this lock, so that it cannot run concurrently with a deletion.
   */
  async lock(id: number): Promise<Namespace | null> {
    const [namespace] = await this.lockAll([id]);
    return namespace ?? null;
  }

  /** Locks several namespaces in the order of their IDs, so that two units of work cannot deadlock. */
  lockAll(ids: readonly number[]): Promise<Namespace[]> {
    return this.database.entities(
      Namespace,
      'n',
      `FROM namespaces n WHERE n.id = ANY(${opaqueArray('$1', 'int')}) AND ${notDeleted('n')} ${inOrderOf('n.id')} FOR UPDATE`,
      [ids],
    );
  }

  async insertPersonal(userId: number, username: string): Promise<void> {
    await this.database.of(Namespace).insert({
      name: username,
      path: username,
      ownerId: userId,
      visibility: 'public',
    });
  }

  async renamePersonal(userId: number, username: string): Promise<void> {
    const namespace = { name: username, path: username };
    await this.database.of(Namespace).update({ ownerId: userId }, namespace);
  }

  /** Removes an account from all groups. */
  async removeFromGroups(userId: number): Promise<void> {
    await this.database.rows('DELETE FROM group_members WHERE user_id = $1', [userId]);
  }

  /**
   * Marks a namespace as deleted, and removes its members and the shares with it.
   * @returns the IDs of the projects that were shared with it
   */
  async markDeleted(id: number): Promise<number[]> {
    await this.database.rows('UPDATE namespaces SET deleted_at = now() WHERE id = $1', [id]);
    await this.database.rows('DELETE FROM group_members WHERE group_id = $1', [id]);
    const shares = await this.database.rows<{ projectId: number }>(
      'DELETE FROM project_group_links WHERE group_id = $1 RETURNING project_id AS "projectId"',
      [id],
    );
    return shares.map(({ projectId }) => projectId);
  }

  /** Removes the row of a deleted namespace; false while it still has projects. */
  async remove(id: number): Promise<boolean> {
    const [row] = await this.database.rows<{ occupied: boolean }>(
      'SELECT EXISTS (SELECT 1 FROM projects WHERE namespace_id = $1) AS occupied',
      [id],
    );
    if (row?.occupied === true) return false;
    await this.database.rows('DELETE FROM namespaces WHERE id = $1 AND deleted_at IS NOT NULL', [
      id,
    ]);
    return true;
  }

  private async findOne(from: string, parameter: unknown): Promise<Namespace | null> {
    const [namespace] = await this.database.entities(Namespace, 'n', from, [parameter]);
    return namespace ?? null;
  }
}

/** The condition of a search in name and path, for trigram indexes. */
export const MATCHES = '(namespace.name ILIKE :pattern OR namespace.path ILIKE :pattern)';
