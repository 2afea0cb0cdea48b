import type { INestApplicationContext } from '@nestjs/common';
import { AuditLog } from '../../../modules/audit/index.js';
import {
  GroupMembersRepository,
  type MemberWithUser,
  memberAdded,
  ProjectMembersRepository,
} from '../../../modules/memberships/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';

/**
 * Adds a member of a group or project, unless the user is one. It makes no events, as all that is imported; the
 * audit log has it all the same.
 * @returns whether the user was added
 */
export function addMember(
  app: INestApplicationContext,
  source: { readonly groupId: number } | { readonly projectId: number },
  member: MemberWithUser,
): Promise<boolean> {
  const insert = (): Promise<boolean> =>
    'groupId' in source
      ? app.get(GroupMembersRepository).insert(source.groupId, member.userId, member)
      : app.get(ProjectMembersRepository).insert(source.projectId, member.userId, member);
  return app.get(UnitOfWork).run(async () => {
    const isNew = await insert();
    if (isNew) await app.get(AuditLog).record(memberAdded(source, member));
    return isNew;
  });
}
