import { Injectable } from '@nestjs/common';
import { MemberAdded, MembersRemoved } from '../../access/index.js';
import { DomainEvents } from '../../activity/index.js';
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
    events: DomainEvents,
    private readonly hooks: HookEvents,
    projects: SystemProjectPayloads,
    members: SystemMemberPayloads,
  ) {
    events.subscribe(ProjectCreated, ({ projectId }) =>
      this.tell(async () => [
        ...(await projects.of('project_create', [projectId])),
        ...(await members.added('project', projectId, null)),
      ]),
    );
    events.subscribe(ProjectsRemoved, ({ projectIds }) =>
      this.tell(() => projects.of('project_destroy', projectIds)),
    );
    events.subscribe(ProjectMoved, (event) => hooks.tellOne(SYSTEM, () => projects.moved(event)));
    events.subscribe(GroupCreated, ({ group }) =>
      this.tell(async () => [
        groupPayload('group_create', group),
        ...(await members.added('group', group.id, null)),
      ]),
    );
    events.subscribe(GroupRemoved, ({ group }) =>
      this.tell(() => Promise.resolve([groupPayload('group_destroy', group)])),
    );
    events.subscribe(MemberAdded, ({ source, sourceId, userId }) =>
      this.tell(() => members.added(source, sourceId, userId)),
    );
    events.subscribe(MembersRemoved, ({ source, memberships }) =>
      this.tell(() => members.removed(source, memberships)),
    );
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
