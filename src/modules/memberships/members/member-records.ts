import { isDeepStrictEqual } from 'node:util';
import type { EndedMembership } from '../../authorization/index.js';
import type { AuditDetails, AuditRecord } from '../../audit/index.js';
import type { User } from '../../users/index.js';
import type { Member, MemberTerms, MemberWithUser } from './member.rules.js';

// What the audit log says about members of projects and groups.

/** Of what the user is a member. */
type Source = Pick<AuditRecord, 'projectId' | 'groupId'>;

type MemberUser = Pick<User, 'id' | 'username'>;

export function memberAdded(source: Source, { user, ...terms }: MemberWithUser): AuditRecord {
  return { action: 'member.added', ...source, ...targetOf(user), details: detailsOf(terms) };
}

/** @returns none if nothing changes */
export function memberUpdated(source: Source, before: Member, after: MemberTerms): AuditRecord[] {
  const details = { from: detailsOf(before), to: detailsOf(after) };
  if (isDeepStrictEqual(details.from, details.to)) return [];
  return [{ action: 'member.updated', ...source, ...targetOf(before.user), details }];
}

export function memberRemoved(source: Source, { user, ...terms }: Member): AuditRecord {
  return { action: 'member.removed', ...source, ...targetOf(user), details: detailsOf(terms) };
}

/** @param users those of the memberships who have an account */
export function membersExpired(
  sourceOf: (sourceId: number) => Source,
  expired: readonly EndedMembership[],
  users: readonly MemberUser[],
): AuditRecord[] {
  const names = new Map(users.map(({ id, username }) => [id, username]));
  return expired.map(({ sourceId, userId, accessLevel }) => ({
    action: 'member.expired',
    ...sourceOf(sourceId),
    target: { type: 'user', id: userId, name: names.get(userId) ?? null },
    details: { access_level: accessLevel },
  }));
}

const targetOf = ({ id, username }: MemberUser): Pick<AuditRecord, 'target'> => ({
  target: { type: 'user', id, name: username },
});

const detailsOf = ({ accessLevel, expiresAt }: MemberTerms): AuditDetails => ({
  access_level: accessLevel,
  expires_at: expiresAt,
});
