import { Injectable } from '@nestjs/common';
import { MemberAdded, MembersRemoved } from '../../access/index.js';
import { OnDomainEvent } from '../../activity/index.js';
import { GroupCreated, GroupRemoved, type Namespace } from '../../groups/index.js';
import { ProjectCreated, ProjectMoved, ProjectsRemoved } from '../../projects/index.js';
import { SystemMemberPayloads } from '../payloads/system-member-payloads.js';
import { SystemProjectPayloads } from '../payloads/system-project-payloads.js';
import { HookEvents } from './hook-events.js';

const SYSTEM = { kind: 'system', owner: null } as const;

/** Tells the hooks of the instance of projects, groups and their members (open points 7.10). */
@Injectable()
export class SystemEvents {
  constructor(
    private readonly hooks: HookEvents,
    private readonly projects: SystemProjectPayloads,
    private readonly members: SystemMemberPayloads,
  ) {}

  @OnDomainEvent(ProjectCreated)
  projectCreated({ projectId }: ProjectCreated): Promise<void> {
    return this.tell(async () => [
      ...(await this.projects.of('project_create', [projectId])),
      ...(await this.members.added('project', projectId, null)),
    ]);
  }

  @OnDomainEvent(ProjectsRemoved)
  projectsRemoved({ projectIds }: ProjectsRemoved): Promise<void> {
    return this.tell(() => this.projects.of('project_destroy', projectIds));
  }

  @OnDomainEvent(ProjectMoved)
  projectMoved(event: ProjectMoved): Promise<void> {
    return this.hooks.tellOne(SYSTEM, () => this.projects.moved(event));
  }

  @OnDomainEvent(GroupCreated)
  groupCreated({ group }: GroupCreated): Promise<void> {
    return this.tell(async () => [
      groupPayload('group_create', group),
      ...(await this.members.added('group', group.id, null)),
    ]);
  }

  @OnDomainEvent(GroupRemoved)
  groupRemoved({ group }: GroupRemoved): Promise<void> {
    return this.tell(() => Promise.resolve([groupPayload('group_destroy', group)]));
  }

  @OnDomainEvent(MemberAdded)
  memberAdded({ source, sourceId, userId }: MemberAdded): Promise<void> {
    return this.tell(() => this.members.added(source, sourceId, userId));
  }

  @OnDomainEvent(MembersRemoved)
  membersRemoved({ source, memberships }: MembersRemoved): Promise<void> {
    return this.tell(() => this.members.removed(source, memberships));
  }

  private tell(telling: () => Promise<readonly object[]>): Promise<void> {
    return this.hooks.tell(SYSTEM, telling);
  }
}

const groupPayload = (event: 'group_create' | 'group_destroy', group: Namespace): object => ({
  event_name: event,
  created_at: group.createdAt,
  updated_at: group.updatedAt,
  name: group.name,
  path: group.path,
  group_id: group.id,
  owner_name: null,
  owner_email: null,
});
