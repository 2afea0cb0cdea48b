import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { DomainError, notFound } from '../../../platform/errors/index.js';
import { DomainEvents } from '../../../platform/events/index.js';
import {
  AccessEnded,
  canSeeGroup,
  GroupAccessRepository,
  type ProjectRef,
} from '../../authorization/index.js';
import { AuditLog, type AuditRecord } from '../../audit/index.js';
import type { User } from '../../users/index.js';
import { shareRefused } from '../refusals.js';
import { type SharedBetween, type Share, SharesRepository } from './shares.repository.js';

type ShareInput = Pick<Share, 'groupId' | 'groupAccess' | 'expiresAt'>;

/** Every answer that shows the project has all of them. */
export const SHARES_PER_PROJECT = 100;

/** Projects shared with groups (docs/reference/members.md#shares). */
@Injectable()
export class SharesService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly shares: SharesRepository,
    private readonly groups: GroupAccessRepository,
    private readonly events: DomainEvents,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Shares a project with a group.
   * @throws DomainError not found (no group that the caller can see), share refused, too many shares
   */
  async share(caller: User, { id: projectId }: ProjectRef, input: ShareInput): Promise<Share> {
    const { groupId } = input;
    const access = await this.groups.find(caller, { by: 'id', id: groupId });
    if (access === null || !canSeeGroup(access)) throw notFound('group');
    return this.work.run(async () => {
      const from = await this.shares.holdProject(projectId);
      if (from === null) throw notFound('project');
      if (!(await this.shares.holdGroup(groupId))) throw notFound('group');
      if (from.locked) throw shareRefused('locked');
      if (from.namespaceId === groupId) throw shareRefused('own-group');
      const hasRoom = await this.shares.hasRoom(projectId, SHARES_PER_PROJECT);
      const share = await this.shares.insert({ projectId, ...input });
      if (share === null) throw shareRefused('exists');
      if (!hasRoom) {
        throw new DomainError({ code: 'too-many-shares', limit: SHARES_PER_PROJECT });
      }
      await this.audit.record({
        action: 'share.added',
        ...between({ projectId, groupId, groupPath: access.group.path }),
        details: { group_access: share.groupAccess, expires_at: share.expiresAt },
      });
      return share;
    });
  }

  /** @throws DomainError not found: the project is not shared with the group */
  unshare({ id }: ProjectRef, groupId: number): Promise<void> {
    return this.work.run(async () => {
      const ended = await this.shares.remove(id, groupId);
      if (ended === null) throw notFound('group-link');
      await this.events.publish(new AccessEnded({ projectIds: [id] }, null));
      await this.audit.record({ action: 'share.removed', ...between(ended) });
    });
  }

  /** Removes some expired shares. @returns whether there were any */
  removeSomeExpired(): Promise<boolean> {
    return this.work.run(async () => {
      const expired = await this.shares.removeSomeExpired();
      const projectIds = expired.map(({ projectId }) => projectId);
      if (expired.length > 0) await this.events.publish(new AccessEnded({ projectIds }, null));
      const records = expired.map((ended): AuditRecord => ({
        action: 'share.expired',
        ...between(ended),
      }));
      await this.audit.record(...records);
      return expired.length > 0;
    });
  }
}

const between = ({
  projectId,
  groupId,
  groupPath,
}: SharedBetween): Pick<AuditRecord, 'target' | 'projectId' | 'groupId'> => ({
  target: { type: 'group', id: groupId, name: groupPath },
  projectId,
  groupId,
});
