import { Injectable } from '@nestjs/common';
import { UnitOfWork, UNKNOWN_ID, assertUnmodified } from '../../../platform/database/index.js';
import { forbidden, notFound, recordNotFound } from '../../../platform/errors/index.js';
import { DomainEvents } from '../../../platform/events/index.js';
import type { Page, PageRequest } from '../../../platform/pagination/index.js';
import {
  defineRecurringJob,
  HandlesJob,
  type JobContext,
  type JobHandler,
} from '../../../platform/queue/index.js';
import {
  AccessEnded,
  allowsOnGroup,
  type GroupAccess,
  type GroupRef,
  MemberAdded,
  MembersRemoved,
} from '../../authorization/index.js';
import { AuditLog } from '../../audit/index.js';
import { type User, UsersRepository } from '../../users/index.js';
import { memberExists, memberMissing } from '../refusals.js';
import { memberAdded, memberRemoved, membersExpired, memberUpdated } from './member-records.js';
import {
  changedTerms,
  checkLevel,
  GROUP_LEVELS,
  isReduction,
  type Member,
  type MemberChange,
  type Membership,
} from './member.rules.js';
import { GroupMembersRepository } from './members.repository.js';

/** Removes expired memberships of groups, once a day. */
const removeExpiredGroupMembers = defineRecurringJob({
  queue: 'groups',
  name: 'remove-expired-members',
  everyMs: 24 * 60 * 60 * 1000,
  timeLimitMs: 60 * 60_000,
});

/**
 * Members of groups. A group keeps an owner by the rules of docs/reference/members.md#owners: the last one
 * is neither demoted nor removed, and gets no earlier end.
 */
@Injectable()
@HandlesJob(removeExpiredGroupMembers)
export class GroupMembersService implements JobHandler {
  constructor(
    private readonly work: UnitOfWork,
    private readonly members: GroupMembersRepository,
    private readonly users: UsersRepository,
    private readonly events: DomainEvents,
    private readonly audit: AuditLog,
  ) {}

  list(
    group: GroupRef,
    reader: User,
    query: string | undefined,
    page: PageRequest,
  ): Promise<Page<Member>> {
    return this.members.list(group.id, reader, query, page);
  }

  /** @throws DomainError record not found */
  async read(group: GroupRef, userId: number): Promise<Member> {
    const member = await this.members.find(group.id, userId);
    if (member === null) throw recordNotFound('member');
    return member;
  }

  /** @throws DomainError not found (no such user), member exists, unknown access level */
  add(group: GroupRef, added: Membership): Promise<Member> {
    return this.work.run(async () => {
      await this.lock(group);
      if ((await this.users.hold(added.userId)) === null) throw notFound('user');
      const present = await this.members.find(group.id, added.userId);
      if (present !== null) throw memberExists();
      checkLevel(added.accessLevel, GROUP_LEVELS);
      await this.members.insert(group.id, added.userId, added);
      await this.events.publish(new MemberAdded('group', group.id, added.userId));
      const member = await this.read(group, added.userId);
      await this.audit.record(memberAdded({ groupId: group.id }, member));
      return member;
    });
  }

  /** @throws DomainError record not found, forbidden (the last owner), unknown access level */
  change(group: GroupRef, userId: number, change: MemberChange): Promise<Member> {
    return this.work.run(async () => {
      await this.lock(group);
      const member = await this.read(group, userId);
      const terms = changedTerms(member, change);
      if (isReduction(member, terms)) await this.refuseLastOwner(group, userId);
      checkLevel(terms.accessLevel, GROUP_LEVELS);
      await this.members.update(group.id, userId, terms);
      await this.audit.record(...memberUpdated({ groupId: group.id }, member, terms));
      return { ...member, ...terms };
    });
  }

  /**
   * Removes a member. Members may remove themselves without being owners.
   * @throws DomainError forbidden (another member, or the last owner), member missing
   */
  remove(caller: User, access: GroupAccess, userId: number): Promise<Member> {
    if (caller.id !== userId && !allowsOnGroup(access, 'group-member:edit')) throw forbidden();
    const { group } = access;
    return this.work.run(async () => {
      await this.lock(group);
      const member = await this.members.find(group.id, userId);
      if (member === null) throw noSuchMember(userId);
      await this.refuseLastOwner(group, userId);
      assertUnmodified(member.createdAt);
      const ended = await this.members.remove(group.id, userId);
      await this.events.publish(new AccessEnded({ groupIds: [group.id] }, [userId]));
      await this.events.publish(new MembersRemoved('group', ended));
      await this.audit.record(memberRemoved({ groupId: group.id }, member));
      return member;
    });
  }

  /** Removes expired memberships, also the last owner's: an expired owner has no rights any more. */
  async handle(_: object, { signal }: Pick<JobContext, 'signal'>): Promise<void> {
    while (await this.removeSomeExpired()) signal.throwIfAborted();
  }

  /** @returns whether there were any */
  private removeSomeExpired(): Promise<boolean> {
    return this.work.run(async () => {
      const expired = await this.members.removeSomeExpired();
      const groupIds = expired.map(({ sourceId }) => sourceId);
      const users = expired.map(({ userId }) => userId);
      if (expired.length > 0) {
        await this.events.publish(new AccessEnded({ groupIds }, users));
        await this.events.publish(new MembersRemoved('group', expired));
        const records = membersExpired(
          (groupId) => ({ groupId }),
          expired,
          await this.users.findByIds(users),
        );
        await this.audit.record(...records);
      }
      return expired.length > 0;
    });
  }

  private async lock({ id }: GroupRef): Promise<void> {
    if (!(await this.members.lockGroup(id))) throw notFound('group');
  }

  private async refuseLastOwner({ id }: GroupRef, userId: number): Promise<void> {
    if (await this.members.isLastOwner(id, userId)) throw forbidden();
  }
}

function noSuchMember(userId: number) {
  // An ID beyond the range has become the placeholder, which the response does not show.
  return userId === UNKNOWN_ID ? recordNotFound('member') : memberMissing(userId);
}
