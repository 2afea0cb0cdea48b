import { Injectable } from '@nestjs/common';
import { UnitOfWork, UNKNOWN_ID, assertUnmodified } from '../../../platform/database/index.js';
import { forbidden, notFound, recordNotFound } from '../../../platform/errors/index.js';
import { DomainEvents } from '../../../platform/events/index.js';
import type { Page, PageRequest } from '../../../platform/pagination/index.js';
import {
  AccessEnded,
  allows,
  type ProjectAccess,
  type ProjectRef,
  MemberAdded,
  MembersRemoved,
} from '../../authorization/index.js';
import { ActivityLog } from '../../activity/index.js';
import { AuditLog } from '../../audit/index.js';
import {
  changedTerms,
  checkLevel,
  isReduction,
  type Member,
  type MemberChange,
  type Membership,
  PROJECT_LEVELS,
} from './member.rules.js';
import { memberAdded, memberRemoved, membersExpired, memberUpdated } from './member-records.js';
import { type User, UsersRepository } from '../../users/index.js';
import { memberExists } from '../refusals.js';
import { ProjectMembersRepository } from './project-members.repository.js';

/**
 * Direct members of projects (docs/reference/members.md#endpoints). The owner of the personal namespace has access
 * without being a member; a membership of that user is neither reduced nor removed nor shown in the feed.
 */
@Injectable()
export class ProjectMembersService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly members: ProjectMembersRepository,
    private readonly users: UsersRepository,
    private readonly activity: ActivityLog,
    private readonly events: DomainEvents,
    private readonly audit: AuditLog,
  ) {}

  list(
    project: ProjectRef,
    reader: User,
    query: string | undefined,
    page: PageRequest,
  ): Promise<Page<Member>> {
    return this.members.list(project.id, reader, query, page);
  }

  /** Lists the members with access to a project in any way, each with the highest level. */
  listAny(
    project: ProjectRef,
    reader: User,
    query: string | undefined,
    page: PageRequest,
  ): Promise<Page<Member>> {
    return this.members.listAny(project.id, reader, query, page);
  }

  /** Reads a member with access to a project in any way, with the highest level. @throws DomainError record not found */
  async readAny(project: ProjectRef, reader: User, userId: number): Promise<Member> {
    const member = await this.members.findAny(project.id, reader, userId);
    if (member === null) throw recordNotFound('member');
    return member;
  }

  /** Lists all users with access to a project, in any way. */
  listUsers(
    project: ProjectRef,
    reader: User,
    search: string | undefined,
    page: PageRequest,
  ): Promise<Page<User>> {
    return this.members.listUsers(project.id, reader, search, page);
  }

  /** @throws DomainError record not found */
  async read(project: ProjectRef, userId: number): Promise<Member> {
    const member = await this.members.find(project.id, userId);
    if (member === null) throw recordNotFound('member');
    return member;
  }

  /**
   * Adds a member.
   * @param options.refusesPresent whether an existing member is refused; otherwise it is returned unchanged
   * @throws DomainError not found (no such user), unknown access level, member exists
   */
  add(project: ProjectRef, added: Membership, { refusesPresent = false } = {}): Promise<Member> {
    return this.work.run(async () => {
      if ((await this.users.hold(added.userId)) === null) throw notFound('user');
      if (!(await this.members.holdProject(project.id))) throw notFound('project');
      const present = await this.members.find(project.id, added.userId);
      if (present !== null && refusesPresent) throw memberExists();
      if (present !== null) return present;
      checkLevel(added.accessLevel, PROJECT_LEVELS);
      // A concurrent request may have added the user; then its membership is returned.
      const isNew = await this.members.insert(project.id, added.userId, added);
      if (!isNew && refusesPresent) throw memberExists();
      if (isNew) await this.recordJoin(project.id, added.userId);
      const member = await this.read(project, added.userId);
      if (isNew) await this.audit.record(memberAdded({ projectId: project.id }, member));
      return member;
    });
  }

  /** @throws DomainError record not found, forbidden (the personal namespace's owner), unknown access level */
  change(project: ProjectRef, userId: number, change: MemberChange): Promise<Member> {
    return this.work.run(async () => {
      const member = await this.members.lock(project.id, userId);
      if (member === null) throw recordNotFound('member');
      const terms = changedTerms(member, change);
      if (isReduction(member, terms)) await this.refusePersonalOwner(project, userId);
      checkLevel(terms.accessLevel, PROJECT_LEVELS);
      await this.members.update(project.id, userId, terms);
      await this.audit.record(...memberUpdated({ projectId: project.id }, member, terms));
      return { ...member, ...terms };
    });
  }

  /**
   * Removes a member. Members may remove themselves without being masters.
   * @returns null when the user is not a member
   * @throws DomainError forbidden (another member, or the personal namespace's owner)
   */
  remove(caller: User, access: ProjectAccess, userId: number): Promise<Member | null> {
    if (caller.id !== userId && !allows(access, 'project-member:edit')) throw forbidden();
    // An ID beyond the range has become the placeholder, which the response does not show.
    if (userId === UNKNOWN_ID) throw recordNotFound('member');
    const { project } = access;
    return this.work.run(async () => {
      await this.refusePersonalOwner(project, userId);
      const member = await this.members.lock(project.id, userId);
      if (member === null) return null;
      assertUnmodified(member.createdAt);
      const ended = await this.members.remove(project.id, userId);
      await this.events.publish(new AccessEnded({ projectIds: [project.id] }, [userId]));
      await this.events.publish(new MembersRemoved('project', ended));
      await this.record(project.id, userId, 'left');
      await this.audit.record(memberRemoved({ projectId: project.id }, member));
      return member;
    });
  }

  /**
   * Removes some expired memberships, with their activity and events.
   * @returns whether there were any
   */
  removeSomeExpired(): Promise<boolean> {
    return this.work.run(async () => {
      const expired = await this.members.removeSomeExpired();
      const projectIds = expired.map(({ sourceId }) => sourceId);
      const users = expired.map(({ userId }) => userId);
      if (expired.length > 0) {
        await this.events.publish(new AccessEnded({ projectIds }, users));
        await this.events.publish(new MembersRemoved('project', expired));
        const records = membersExpired(
          (projectId) => ({ projectId }),
          expired,
          await this.users.findByIds(users),
        );
        await this.audit.record(...records);
      }
      await this.activity.record(
        expired.map(({ sourceId, userId }) => ({
          projectId: sourceId,
          authorId: userId,
          action: 'removed due to membership expiration from',
        })),
      );
      return expired.length > 0;
    });
  }

  private async recordJoin(projectId: number, userId: number): Promise<void> {
    await this.events.publish(new MemberAdded('project', projectId, userId));
    if (await this.members.isPersonalOwner(projectId, userId)) return;
    await this.record(projectId, userId, 'joined');
  }

  private async refusePersonalOwner({ id }: ProjectRef, userId: number): Promise<void> {
    if (await this.members.isPersonalOwner(id, userId)) throw forbidden();
  }

  private async record(
    projectId: number,
    userId: number,
    action: 'joined' | 'left',
  ): Promise<void> {
    await this.activity.record([{ projectId, authorId: userId, action }]);
  }
}
