import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import {
  Database,
  inOrderOf,
  notDeleted,
  opaqueArray,
  rowById,
  rowsByIds,
} from '../../../platform/database/index.js';
import { type Page, type PageRequest, pageOfQuery } from '../../../platform/pagination/index.js';
import { Level, existingProject, levelOnProject } from '../../authorization/index.js';
import { SshKey, type User } from '../../users/index.js';
import { DeployKeyProject } from '../model/project-links.entity.js';

/** A deploy key as a project has it. */
export type ProjectDeployKey = DeployKeyProject & { readonly key: SshKey };

/** A project that a deploy key may read. */
export interface ReadableProject {
  keyId: number;
  canPush: boolean;
  id: number;
  description: string | null;
  name: string;
  path: string;
  createdAt: Date;
  namespacePath: string;
  /** The group's name, or the full name of the personal namespace's owner. */
  namespaceName: string;
}

const KEYS = rowsByIds('ssh_keys', '$1::int[]');

/** Of those that a key pushes to, and of those that it only reads. */
const PROJECTS_OF_A_KEY = 100;

const PROJECTS_OF_KEYS = `
  SELECT asked.id AS "keyId", kind.can_push AS "canPush", p.id, p.description, p.name, p.path,
         p.created_at AS "createdAt", n.path AS "namespacePath", coalesce(u.name, n.name) AS "namespaceName"
    FROM unnest(${opaqueArray('$1', 'int')}) AS asked (id)
   CROSS JOIN (VALUES (true), (false)) AS kind (can_push)
   CROSS JOIN LATERAL (
     SELECT * FROM deploy_keys_projects link
      WHERE link.deploy_key_id = asked.id AND (link.pusher_id IS NOT NULL) = kind.can_push
      ORDER BY link.project_id LIMIT $2) l
    JOIN ${rowById('projects', 'l.project_id')} p ON p.deleted_at IS NULL
    JOIN ${rowById('namespaces', 'p.namespace_id')} n ON n.deleted_at IS NULL
    LEFT JOIN ${rowById('users', 'n.owner_id')} u ON true
   ORDER BY asked.id, p.id`;

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
  page(projectId: number, request: PageRequest): Promise<Page<ProjectDeployKey>> {
    const query = this.ofProject(projectId).orderBy('link.deployKeyId', 'DESC');
    return pageOfQuery(this.database, query, request);
  }

  find(projectId: number, id: number): Promise<ProjectDeployKey | null> {
    return this.ofProject(projectId).andWhere('link.deployKeyId = :id', { id }).getOne();
  }

  /** The projects of keys, those with the lowest IDs: at most 100 of a key that it pushes to, and 100 that it only reads. */
  projectsOf(keyIds: readonly number[]): Promise<ReadableProject[]> {
    return this.database.rows(PROJECTS_OF_KEYS, [keyIds, PROJECTS_OF_A_KEY]);
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

  /**
   * Links a key to a project.
   * @param pusherId the account in whose name it pushes; null for a key that only reads
   * @returns false if it was linked already, with the right to push that it has
   */
  async link(projectId: number, keyId: number, pusherId: number | null): Promise<boolean> {
    const rows = await this.database.rows(
      `INSERT INTO deploy_keys_projects (project_id, deploy_key_id, pusher_id) VALUES ($1, $2, $3)
       ON CONFLICT DO NOTHING RETURNING 1`,
      [projectId, keyId, pusherId],
    );
    return rows.length > 0;
  }

  /** Lets a linked key push to a project in the name of an account, or only read it. */
  async setPusher(projectId: number, keyId: number, pusherId: number | null): Promise<void> {
    await this.database.rows(
      `UPDATE deploy_keys_projects SET pusher_id = $3 WHERE project_id = $1 AND deploy_key_id = $2`,
      [projectId, keyId, pusherId],
    );
  }

  async setTitle(keyId: number, title: string): Promise<void> {
    await this.database.of(SshKey).update({ id: keyId }, { title });
  }

  /** Whether a key is linked to other projects than this one; deleted ones count until their links are removed. */
  async isLinkedElsewhere(projectId: number, keyId: number): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT 1 FROM deploy_keys_projects
        WHERE deploy_key_id = $1 AND project_id <> $2 LIMIT 1`,
      [keyId, projectId],
    );
    return rows.length > 0;
  }

  /** Finds the account in whose name a key pushes to a project; null if the key may not push to it. */
  async findPusher(keyId: number, projectId: number): Promise<number | null> {
    const [row] = await this.database.rows<{ pusherId: number | null }>(
      `SELECT pusher_id AS "pusherId" FROM deploy_keys_projects
        WHERE project_id = $1 AND deploy_key_id = $2`,
      [projectId, keyId],
    );
    return row?.pusherId ?? null;
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

  private ofProject(projectId: number): SelectQueryBuilder<ProjectDeployKey> {
    return this.database
      .of<ProjectDeployKey>(DeployKeyProject)
      .createQueryBuilder('link')
      .innerJoinAndMapOne('link.key', SshKey, 'key', 'key.id = link.deploy_key_id')
      .where('link.project_id = :projectId', { projectId });
  }
}
