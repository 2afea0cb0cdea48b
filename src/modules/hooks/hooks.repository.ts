import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, IsNull } from 'typeorm';
import { Database, hasRoomForRow } from '../../platform/database/index.js';
import { type Page, pageOfQuery, type PageRequest } from '../../platform/http/index.js';
import { ProjectAccessRepository } from '../access/index.js';
import type { HookAddress } from './hook-address.js';
import { Hook } from './hook.entity.js';

/** A project, or null for the instance itself. */
export type HookOwner = number | null;

/** What makes a hook be tried again that was given up. */
const ENABLED = { disabledAt: null, disabledReason: null, failingSince: null } as const;

/** The hooks of projects and of the instance; whoever asks for those of one never gets others. */
@Injectable()
export class HooksRepository {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectAccessRepository,
  ) {}

  /** The newest first. */
  page(owner: HookOwner, request: PageRequest): Promise<Page<Hook>> {
    const query = this.database.of(Hook).createQueryBuilder('hook').orderBy('hook.id', 'DESC');
    if (owner === null) query.where('hook.project_id IS NULL');
    else query.where('hook.project_id = :owner', { owner });
    return pageOfQuery(this.database, query, request);
  }

  find(owner: HookOwner, id: number): Promise<Hook | null> {
    return this.database.of(Hook).findOneBy(owned(owner, id));
  }

  /** As `find`; nobody else changes it until the unit of work ends. */
  lock(owner: HookOwner, id: number): Promise<Hook | null> {
    const lock = { mode: 'for_no_key_update' } as const;
    return this.database.of(Hook).findOne({ where: owned(owner, id), lock });
  }

  /** Whether a project may have another hook; in a unit of work. */
  hasRoom(projectId: number, limit: number): Promise<boolean> {
    const owner = { table: 'hooks', column: 'project_id', ownerId: projectId };
    return hasRoomForRow(this.database, owner, limit);
  }

  /** Null where the project is deleted. Call in a unit of work. */
  async insert(owner: HookOwner, values: Partial<Hook>): Promise<Hook | null> {
    if (owner !== null && !(await this.projects.hold(owner))) return null;
    const hooks = this.database.of(Hook);
    const { identifiers } = await hooks.insert({ ...values, projectId: owner });
    return hooks.findOneByOrFail({ id: (identifiers[0] as { id: number }).id });
  }

  /** A hook that was given up is tried again. Null for one that is not there. */
  async update(owner: HookOwner, id: number, values: Partial<Hook>): Promise<Hook | null> {
    await this.database.of(Hook).update(owned(owner, id), { ...values, ...ENABLED });
    return this.find(owner, id);
  }

  /** Hooks that were given up are tried again. */
  async enable(ids: readonly number[]): Promise<void> {
    await this.database.rows(
      `UPDATE hooks SET disabled_at = NULL, disabled_reason = NULL, failing_since = NULL
        WHERE id = ANY($1) AND (disabled_at IS NOT NULL OR failing_since IS NOT NULL)`,
      [ids],
    );
  }

  /**
   * Hooks after `afterId` whose addresses may hold a password in the clear, in the order of their ids.
   * Written by versions that did not seal passwords.
   */
  unsealed(afterId: number, limit: number): Promise<Pick<Hook, 'id' | 'url' | 'passwordSealed'>[]> {
    return this.database.rows(UNSEALED, [afterId, limit]);
  }

  /** Replaces the address of a hook if the URL is still `before`. */
  async replaceAddress(id: number, before: string, after: HookAddress): Promise<void> {
    await this.database.rows(
      'UPDATE hooks SET url = $3, password_sealed = $4 WHERE id = $1 AND url = $2',
      [id, before, after.url, after.passwordSealed],
    );
  }

  /** False where somebody else has removed it meanwhile. */
  async remove(owner: HookOwner, id: number): Promise<boolean> {
    const { affected } = await this.database.of(Hook).delete(owned(owner, id));
    return affected === 1;
  }
}

const UNSEALED = `
  SELECT id, url, password_sealed AS "passwordSealed" FROM hooks
   WHERE id > $1 AND url LIKE '%@%' AND (password_sealed IS NULL OR url NOT LIKE '%:***@%')
   ORDER BY id LIMIT $2`;

const owned = (owner: HookOwner, id: number): FindOptionsWhere<Hook> => ({
  id,
  projectId: owner ?? IsNull(),
});
