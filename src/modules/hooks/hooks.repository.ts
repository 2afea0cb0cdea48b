import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, IsNull } from 'typeorm';
import { groupBy } from '../../platform/collections/index.js';
import { Database, hasRoomForRow, rowsByIds } from '../../platform/database/index.js';
import { type Page, pageOfQuery, type PageRequest } from '../../platform/pagination/index.js';
import { ProjectAccessRepository } from '../authorization/index.js';
import type { StoredUrl } from './model/hook-secrets.js';
import type { BranchFilter } from './model/branch-filter.js';
import {
  type DisabledReason,
  Hook,
  HOOK_KINDS,
  type HookKind,
  type HookVersion,
  KINDS_OF_VERSION_4,
  type ProjectHookKind,
} from './model/hook.entity.js';

/** The id of the project that a hook belongs to; null for system hooks. */
export type HookOwner = number | null;

/** A hook that gets a delivery. */
export interface HookRecipient extends BranchFilter {
  readonly id: number;
  readonly version: HookVersion;
  /** Whether its last attempt failed. */
  readonly isFailing: boolean;
}

/** A hook that was disabled, for that reason, and is not any more. */
export type EnabledHook = Pick<Hook, 'id' | 'url' | 'projectId' | 'disabledReason'>;

/** A hook whose attempts have all failed for this long is disabled. */
const FAILING_DAYS = 3;

const ENABLED = { disabledAt: null, disabledReason: null, failingSince: null } as const;

/** The columns of a `HookRecipient`. */
const RECIPIENT = `
  id, api_version AS version, failing_since IS NOT NULL AS "isFailing",
  push_events_branch_filter AS filter, branch_filter_strategy AS strategy`;

const subscribedSql = (owner: HookOwner, kind: HookKind): string => `
  SELECT ${RECIPIENT}, project_id AS owner FROM hooks
   WHERE ${owner === null ? 'project_id IS NULL' : 'project_id = $1'} AND disabled_at IS NULL
     AND ${subscribesTo(owner, kind)}`;

const ENABLE = `
  UPDATE hooks h SET disabled_at = NULL, disabled_reason = NULL, failing_since = NULL
    FROM ${rowsByIds('hooks', '$1::int[]')} before
   WHERE h.id = before.id AND (h.disabled_at IS NOT NULL OR h.failing_since IS NOT NULL)
  RETURNING h.id, h.url, h.project_id AS "projectId", before.disabled_reason AS "disabledReason",
            before.disabled_at IS NOT NULL AS "wasDisabled"`;

const PLAIN_PASSWORDS = `
  SELECT id, url, password_sealed AS "passwordSealed" FROM hooks
   WHERE id > $1 AND url LIKE '%@%' AND (password_sealed IS NULL OR url NOT LIKE '%:***@%')
   ORDER BY id LIMIT $2`;

/** Reads and writes hooks of one owner; hooks of other owners are never returned. */
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
    return this.database.of(Hook).findOneBy(ownedBy(owner, id));
  }

  /** Reads a hook and locks its row until the unit of work ends. */
  lock(owner: HookOwner, id: number): Promise<Hook | null> {
    const lock = { mode: 'for_no_key_update' } as const;
    return this.database.of(Hook).findOne({ where: ownedBy(owner, id), lock });
  }

  /** The enabled hooks of an owner that subscribe to a kind of event. */
  findSubscribed(owner: HookOwner, kind: HookKind): Promise<HookRecipient[]> {
    const parameters = owner === null ? [] : [owner];
    return this.database.rows<HookRecipient>(subscribedSql(owner, kind), parameters);
  }

  /** As `findSubscribed`, for the hooks of a project and those of the instance, by one statement. */
  async findSubscribedWithInstance(
    projectId: number,
    kind: HookKind,
  ): Promise<ReadonlyMap<HookOwner, HookRecipient[]>> {
    const sql = [projectId, null].map((owner) => subscribedSql(owner, kind)).join(' UNION ALL ');
    const hooks = await this.database.rows<HookRecipient & { owner: HookOwner }>(sql, [projectId]);
    return groupBy(hooks, ({ owner }) => owner);
  }

  /** Whether a project has fewer hooks than `limit`. Requires a unit of work. */
  hasRoom(projectId: number, limit: number): Promise<boolean> {
    const owner = { table: 'hooks', column: 'project_id', ownerId: projectId };
    return hasRoomForRow(this.database, owner, limit);
  }

  /** Whether a project has a hook of this URL, without a password. */
  hasUrl(projectId: number, url: string): Promise<boolean> {
    return this.database.of(Hook).existsBy({ projectId, url });
  }

  /** Reads a hook of any owner as a recipient; null when there is none. */
  async findRecipient(id: number): Promise<HookRecipient | null> {
    const sql = `SELECT ${RECIPIENT} FROM hooks WHERE id = $1`;
    const [hook] = await this.database.rows<HookRecipient>(sql, [id]);
    return hook ?? null;
  }

  /** As `lock`, for a hook of any owner. */
  lockAny(id: number): Promise<Hook | null> {
    return this.database.of(Hook).findOne({ where: { id }, lock: { mode: 'for_no_key_update' } });
  }

  /** Changes the version of a hook of any owner. */
  async setVersion(id: number, version: HookVersion): Promise<void> {
    await this.database.rows(
      `UPDATE hooks SET api_version = $2::smallint,
              uuid = CASE WHEN $2::smallint = 4 THEN coalesce(uuid, gen_random_uuid()) ELSE uuid END
        WHERE id = $1`,
      [id, version],
    );
  }

  /**
   * Inserts a hook whose maker uses a version of the API. Null when the project is deleted. Requires a unit of work.
   */
  async insert(
    owner: HookOwner,
    values: Partial<Hook>,
    version: HookVersion,
  ): Promise<Hook | null> {
    if (owner !== null && !(await this.projects.hold(owner))) return null;
    const hooks = this.database.of(Hook);
    const { identifiers } = await hooks.insert({
      ...values,
      projectId: owner,
      apiVersion: version,
      uuid: version === 4 ? randomUUID() : null,
    });
    return hooks.findOneByOrFail({ id: (identifiers[0] as { id: number }).id });
  }

  /** Updates a hook and enables it if it was disabled. Null when there is no such hook. */
  async update(owner: HookOwner, id: number, values: Partial<Hook>): Promise<Hook | null> {
    await this.database.of(Hook).update(ownedBy(owner, id), { ...values, ...ENABLED });
    return this.find(owner, id);
  }

  /** False when there is no such hook, for example because it has been removed meanwhile. */
  async remove(owner: HookOwner, id: number): Promise<boolean> {
    const { affected } = await this.database.of(Hook).delete(ownedBy(owner, id));
    return affected === 1;
  }

  /**
   * Enables hooks that were disabled, and resets how long they have been failing.
   * @returns those that were disabled
   */
  async enable(ids: readonly number[]): Promise<EnabledHook[]> {
    const changed = await this.database.rows<EnabledHook & { wasDisabled: boolean }>(ENABLE, [ids]);
    return changed.filter(({ wasDisabled }) => wasDisabled);
  }

  async disable(id: number, reason: DisabledReason): Promise<void> {
    await this.database.rows(
      `UPDATE hooks SET disabled_at = now(), disabled_reason = $2
        WHERE id = $1 AND disabled_at IS NULL`,
      [id, reason],
    );
  }

  /** Records a failed attempt; returns whether the hook has been failing for long enough to be disabled. */
  async recordFailure(id: number): Promise<boolean> {
    await this.database.rows(
      'UPDATE hooks SET failing_since = now() WHERE id = $1 AND failing_since IS NULL',
      [id],
    );
    const [hook] = await this.database.rows<{ isHopeless: boolean }>(
      `SELECT failing_since <= now() - $2 * interval '1 day' AS "isHopeless" FROM hooks
        WHERE id = $1`,
      [id, FAILING_DAYS],
    );
    return hook?.isHopeless ?? false;
  }

  /**
   * Hooks after `afterId`, in the order of their ids, whose URLs may contain a password in plain text, as
   * older versions stored it.
   */
  findPlainPasswords(
    afterId: number,
    limit: number,
  ): Promise<Pick<Hook, 'id' | 'url' | 'passwordSealed'>[]> {
    return this.database.rows(PLAIN_PASSWORDS, [afterId, limit]);
  }

  /** Replaces the URL of a hook if it is still `before`. */
  async replaceUrl(id: number, before: string, after: StoredUrl): Promise<void> {
    await this.database.rows(
      'UPDATE hooks SET url = $3, password_sealed = $4 WHERE id = $1 AND url = $2',
      [id, before, after.url, after.passwordSealed],
    );
  }
}

/**
 * The condition that a row of `hooks` subscribes to a kind of event; no system hook can refuse `system`. Those that version 3
 * does not know are for hooks of version 4.
 */
function subscribesTo(owner: HookOwner, kind: HookKind): string {
  if (kind === 'system') return 'true';
  const column = kind === 'repository_update' ? 'repository_update_events' : columnOf(kind);
  const isForVersion4 =
    KINDS_OF_VERSION_4.includes(kind) || (owner === null && kind === 'merge_request');
  return isForVersion4 ? `${column} AND api_version = 4` : column;
}

const columnOf = (kind: ProjectHookKind): string => HOOK_KINDS[kind];

const ownedBy = (owner: HookOwner, id: number): FindOptionsWhere<Hook> => ({
  id,
  projectId: owner ?? IsNull(),
});
