import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../../platform/database/index.js';
import { conflict, notFound, ruleViolated } from '../../../../platform/errors/index.js';
import { SHARES_PER_PROJECT } from '../../../../platform/limits/index.js';
import {
  AccessEnded,
  canSeeGroup,
  GroupAccessRepository,
  type ProjectRef,
} from '../../../access/index.js';
import { DomainEvents } from '../../../activity/index.js';
import { AuditLog, type AuditRecord } from '../../../audit/index.js';
import type { User } from '../../../users/index.js';
import { type SharedBetween, type Share, SharesRepository } from './shares.repository.js';

type ShareInput = Pick<Share, 'groupId' | 'groupAccess' | 'expiresAt'>;

const TOO_MANY = `Maximum number of group links (${String(SHARES_PER_PROJECT)}) exceeded`;

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
   * @throws DomainError not found (no group that the caller can see), rule violated (sharing is
   *   locked, or the project has `SHARES_PER_PROJECT` shares),
   *   conflict (shared already, or the project's own group)
   */
  async share(caller: User, { id: projectId }: ProjectRef, input: ShareInput): Promise<Share> {
    const { groupId } = input;
    const access = await this.groups.find(caller, { by: 'id', id: groupId });
    if (access === null || !canSeeGroup(access)) throw notFound('Group');
    return this.work.run(async () => {
      const from = await this.shares.holdProject(projectId);
      if (from === null) throw notFound('Project');
      if (!(await this.shares.holdGroup(groupId))) throw notFound('Group');
      if (from.locked) throw ruleViolated('The project sharing with group is disabled');
      if (from.namespaceId === groupId) {
        throw conflict('Project cannot be shared with the project it is in.');
      }
      const hasRoom = await this.shares.hasRoom(projectId, SHARES_PER_PROJECT);
      const share = await this.shares.insert({ projectId, ...input });
      if (share === null) throw conflict('Group already shared with this group');
      if (!hasRoom) throw ruleViolated(TOO_MANY);
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
      if (ended === null) throw notFound('Group Link');
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
