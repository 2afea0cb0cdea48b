import { Injectable } from '@nestjs/common';
import { MemberAdded, MembersRemoved } from '../../access/index.js';
import { DomainEvents } from '../../activity/index.js';
import { GroupCreated, GroupRemoved } from '../../groups/index.js';
import { ProjectCreated, ProjectMoved, ProjectsRemoved } from '../../projects/index.js';
import { HookNotifier } from '../deliveries/hook-notifier.js';
import { SystemPayloadBuilder } from '../payloads/system-payload-builder.js';

const SYSTEM = { kind: 'system', owner: null } as const;

/** Notifies system hooks of projects, groups and their members. */
@Injectable()
export class SystemEvents {
  constructor(
    events: DomainEvents,
    private readonly hooks: HookNotifier,
    payloads: SystemPayloadBuilder,
  ) {
    events.subscribe(ProjectCreated, ({ projectId }) =>
      this.notify(async () => [
        ...(await payloads.buildProjects('project_create', [projectId])),
        ...(await payloads.buildAddedMembers('project', projectId, null)),
      ]),
    );
    events.subscribe(ProjectsRemoved, ({ projectIds }) =>
      this.notify(() => payloads.buildProjects('project_destroy', projectIds)),
    );
    events.subscribe(ProjectMoved, (event) =>
      hooks.notifyOne(SYSTEM, () => payloads.buildMovedProject(event)),
    );
    events.subscribe(GroupCreated, ({ group }) =>
      this.notify(async () => [
        payloads.buildGroup('group_create', group),
        ...(await payloads.buildAddedMembers('group', group.id, null)),
      ]),
    );
    events.subscribe(GroupRemoved, ({ group }) =>
      this.notify(() => Promise.resolve([payloads.buildGroup('group_destroy', group)])),
    );
    events.subscribe(MemberAdded, ({ place, placeId, userId }) =>
      this.notify(() => payloads.buildAddedMembers(place, placeId, userId)),
    );
    events.subscribe(MembersRemoved, ({ place, memberships }) =>
      this.notify(() => payloads.buildRemovedMembers(place, memberships)),
    );
  }

  private notify(buildPayloads: () => Promise<readonly object[]>): Promise<void> {
    return this.hooks.notify(SYSTEM, buildPayloads);
  }
}
