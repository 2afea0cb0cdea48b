import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import {
  Database,
  inOrderOf,
  notDeleted,
  rowById,
  rowsByIds,
} from '../../../platform/database/index.js';
import { type Page, type PageRequest, pageOfQuery } from '../../../platform/pagination/index.js';
import { Level, existingProject, levelOnProject } from '../../authorization/index.js';
import { SshKey, type User } from '../../users/index.js';
import { DeployKeyProject } from '../model/project-links.entity.js';

const KEYS = rowsByIds('ssh_keys', '$1::int[]');

/** Deploy keys, which are SSH keys without an account, and their links to projects. */
@Injectable()
export class DeployKeysRepository {
  constructor(private readonly database: Database) {}

  /** The deploy keys of all projects, newest first. */
  pageOfAll(request: PageRequest): Promise<Page<SshKey>> {
    const query = this.database
      .of(SshKey)
      .createQueryBuilder('key')
      .where('key.user_id IS NULL')
      .orderBy('key.id', 'DESC');
    return pageOfQuery(this.database, query, request);
  }

  /** The deploy keys of a project, newest first. */
  page(projectId: number, request: PageRequest): Promise<Page<SshKey>> {
    return pageOfQuery(this.database, this.ofProject(projectId).orderBy('key.id', 'DESC'), request);
  }

  find(projectId: number, id: number): Promise<SshKey | null> {
    return this.ofProject(projectId).andWhere('key.id = :id', { id }).getOne();
  }

  /** Finds a deploy key of any project and locks it against deletion. */
  hold(id: number): Promise<SshKey | null> {
    return this.holdWhere('k.id = $1 AND k.user_id IS NULL', id);
  }

  /** Finds the key with a fingerprint, an account's or a deploy key, and locks it against deletion. */
  holdByFingerprint(fingerprint: string): Promise<SshKey | null> {
    return this.holdWhere('k.fingerprint = $1', fingerprint);
  }

  /**
   * Whether the user may list a deploy key: as an administrator, or as a master of one of its projects.
   */
  async isVisible(id: number, { id: userId, admin }: User): Promise<boolean> {
    if (admin) return true;
    const rows = await this.database.rows(
      `SELECT 1 FROM deploy_keys_projects l
         ${existingProject('l.project_id')}
        WHERE l.deploy_key_id = $1 AND ${levelOnProject('p', 'n', '$2')} >= ${String(Level.MASTER)}
        LIMIT 1`,
      [id, userId],
    );
    return rows.length > 0;
  }

  /** Locks a project against deletion until the transaction ends; false if it is deleted. */
  async holdProject(id: number): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT 1 FROM projects WHERE id = $1 AND ${notDeleted()} FOR SHARE`,
      [id],
    );
    return rows.length > 0;
  }

  /** Links a key to a project. @returns false if it was linked already */
  async link(projectId: number, keyId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `INSERT INTO deploy_keys_projects (project_id, deploy_key_id) VALUES ($1, $2)
       ON CONFLICT DO NOTHING RETURNING 1`,
      [projectId, keyId],
    );
    return rows.length > 0;
  }

  /**
   * Locks keys against being linked, in ID order to avoid deadlocks.
   * @returns the existing IDs
   */
  async lock(ids: readonly number[]): Promise<number[]> {
    const rows = await this.database.rows<{ id: number }>(
      `SELECT id FROM ssh_keys WHERE id = ANY($1::int[]) ${inOrderOf('id')} FOR UPDATE`,
      [ids],
    );
    return rows.map(({ id }) => id);
  }

  /** The IDs of up to `limit` keys of the projects. */
  async someOf(projectIds: readonly number[], limit: number): Promise<number[]> {
    const rows = await this.database.rows<{ id: number }>(
      `SELECT DISTINCT deploy_key_id AS id FROM deploy_keys_projects
        WHERE project_id = ANY($1::int[]) ORDER BY deploy_key_id LIMIT $2`,
      [projectIds, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** @returns whether there were such links */
  async unlink(projectIds: readonly number[], keyIds: readonly number[]): Promise<boolean> {
    const rows = await this.database.rows(
      `DELETE FROM deploy_keys_projects
        WHERE project_id = ANY($1::int[]) AND deploy_key_id = ANY($2::int[]) RETURNING 1`,
      [projectIds, keyIds],
    );
    return rows.length > 0;
  }

  /** Deletes those of the locked keys that are linked to no project, and returns them. */
  async removeUnlinked(keyIds: readonly number[]): Promise<SshKey[]> {
    const keys = await this.database.entities(
      SshKey,
      'k',
      `FROM ${KEYS} k
        WHERE k.user_id IS NULL
          AND NOT EXISTS (SELECT 1 FROM deploy_keys_projects l WHERE l.deploy_key_id = k.id)
        ORDER BY k.id`,
      [keyIds],
    );
    if (keys.length > 0) {
      await this.database.rows(
        `DELETE FROM ssh_keys USING ${KEYS} unlinked WHERE ssh_keys.id = unlinked.id`,
        [keys.map(({ id }) => id)],
      );
    }
    return keys;
  }

  /** Whether a key is linked to a project, or to any if `projectId` is null; deleted ones do not count. */
  async opens(keyId: number, projectId: number | null): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT 1 FROM deploy_keys_projects l
         JOIN ${rowById('projects', 'l.project_id')} p ON p.deleted_at IS NULL
        WHERE l.deploy_key_id = $1 AND ($2::int IS NULL OR l.project_id = $2) LIMIT 1`,
      [keyId, projectId],
    );
    return rows.length > 0;
  }

  private async holdWhere(condition: string, value: number | string): Promise<SshKey | null> {
    const [key] = await this.database.entities(
      SshKey,
      'k',
      `FROM ssh_keys k WHERE ${condition} FOR KEY SHARE`,
      [value],
    );
    return key ?? null;
  }

  private ofProject(projectId: number): SelectQueryBuilder<SshKey> {
    return this.database
      .of(SshKey)
      .createQueryBuilder('key')
      .innerJoin(DeployKeyProject, 'link', 'link.deploy_key_id = key.id')
      .where('link.project_id = :projectId', { projectId });
  }
}
