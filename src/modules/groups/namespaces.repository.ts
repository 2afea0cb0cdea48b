import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { containing, Database } from '../../platform/database/index.js';
import { type Page, pageOfQuery, type PageRequest } from '../../platform/http/index.js';
import { type Account, memberGroupIds } from '../access/index.js';
import { Namespace } from './namespace.entity.js';

@Injectable()
export class NamespacesRepository {
  constructor(private readonly database: Database) {}

  findById(id: number): Promise<Namespace | null> {
    return this.database.of(Namespace).findOneBy({ id, deletedAt: IsNull() });
  }

  findByIds(ids: readonly number[]): Promise<Namespace[]> {
    return this.database
      .of(Namespace)
      .createQueryBuilder('namespace')
      .where('namespace.id = ANY(:ids)', { ids: [...new Set(ids)] })
      .getMany();
  }

  /** The living namespace that a user means, whatever the case; paths go before names. */
  async findByPathOrName(text: string): Promise<Namespace | null> {
    const find = (column: 'path' | 'name') =>
      this.database
        .of(Namespace)
        .createQueryBuilder('namespace')
        .where(`lower(namespace.${column}) = lower(:text) AND namespace.deleted_at IS NULL`, {
          text,
        })
        .orderBy('namespace.id')
        .getOne();
    return (await find('path')) ?? (await find('name'));
  }

  findPersonal(userId: number): Promise<Namespace | null> {
    return this.database.of(Namespace).findOneBy({ ownerId: userId, deletedAt: IsNull() });
  }

  /**
   * Those somebody may put projects into or belongs to, newest first; administrators see all (open
   * points 2.5, 3.7). @param search what name or path contains, whatever its case
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
        `namespace.id IN (
           SELECT own.id FROM namespaces own WHERE own.owner_id = :caller
            UNION ALL ${memberGroupIds(':caller')})`,
        { caller: caller.id },
      );
    }
    if (search !== undefined) query.andWhere(MATCHES, { pattern: containing(search) });
    return pageOfQuery(this.database, query, request);
  }

  /**
   * Locks a namespace until the end of the unit of work and answers it as it is then, null when it is
   * gone. Whatever puts projects, members or shares into a namespace, or relies on its visibility,
   * does so under this lock: then it cannot happen beside a removal.
   */
  async lock(id: number): Promise<Namespace | null> {
    const [namespace] = await this.lockAll([id]);
    return namespace ?? null;
  }

  /** The same for several at once; always in one order, so that two units cannot block each other. */
  lockAll(ids: readonly number[]): Promise<Namespace[]> {
    return this.database.of(Namespace).find({
      where: { id: In([...ids]), deletedAt: IsNull() },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /**
   * Hides a namespace for good, with its members and what is shared with it.
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

  /** Removes the row of a deleted namespace; false while projects are left in it. */
  async purge(id: number): Promise<boolean> {
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
}

/** By trigrams of name and path. */
export const MATCHES = '(namespace.name ILIKE :pattern OR namespace.path ILIKE :pattern)';
