import { Injectable } from '@nestjs/common';
import { MemberAdded, MembersRemoved } from '../../access/index.js';
import { OnDomainEvent } from '../../activity/index.js';
import { GroupCreated, GroupRemoved } from '../../groups/index.js';
import { ProjectCreated, ProjectMoved, ProjectsRemoved } from '../../projects/index.js';
import { SshKeysChanged, UserCreated, UserDeleted } from '../../users/index.js';
import { HookNotifier } from '../deliveries/hook-notifier.js';
import { SystemPayloadBuilder } from '../payloads/system-payload-builder.js';

const SYSTEM = { kind: 'system', owner: null } as const;

/** Notifies system hooks of accounts, keys, projects, groups and members. */
@Injectable()
export class SystemHooksListener {
  constructor(
    private readonly hooks: HookNotifier,
    private readonly payloads: SystemPayloadBuilder,
  ) {}

  @OnDomainEvent(UserCreated)
  userCreated({ user }: UserCreated): Promise<void> {
    return this.hooks.notifyOne(SYSTEM, () => this.payloads.buildUser('user_create', user.id));
  }

  @OnDomainEvent(UserDeleted)
  userDeleted({ userId }: UserDeleted): Promise<void> {
    return this.hooks.notifyOne(SYSTEM, () => this.payloads.buildUser('user_destroy', userId));
  }

  @OnDomainEvent(SshKeysChanged)
  sshKeysChanged(event: SshKeysChanged): Promise<void> {
    return this.hooks.notify(SYSTEM, () => this.payloads.buildKeys(event));
  }

  @OnDomainEvent(ProjectCreated)
  projectCreated({ projectId }: ProjectCreated): Promise<void> {
    return this.hooks.notify(SYSTEM, async () => [
      ...(await this.payloads.buildProjects('project_create', [projectId])),
      ...(await this.payloads.buildAddedMembers('project', projectId, null)),
    ]);
  }

  @OnDomainEvent(ProjectsRemoved)
  projectsRemoved({ projectIds }: ProjectsRemoved): Promise<void> {
    return this.hooks.notify(SYSTEM, () =>
      this.payloads.buildProjects('project_destroy', projectIds),
    );
  }

  @OnDomainEvent(ProjectMoved)
  projectMoved(event: ProjectMoved): Promise<void> {
    return this.hooks.notifyOne(SYSTEM, () => this.payloads.buildMovedProject(event));
  }

  @OnDomainEvent(GroupCreated)
  groupCreated({ group }: GroupCreated): Promise<void> {
    return this.hooks.notify(SYSTEM, async () => [
      this.payloads.buildGroup('group_create', group),
      ...(await this.payloads.buildAddedMembers('group', group.id, null)),
    ]);
  }

  @OnDomainEvent(GroupRemoved)
  groupRemoved({ group }: GroupRemoved): Promise<void> {
    return this.hooks.notify(SYSTEM, () =>
      Promise.resolve([this.payloads.buildGroup('group_destroy', group)]),
    );
  }

  @OnDomainEvent(MemberAdded)
  memberAdded({ source, sourceId, userId }: MemberAdded): Promise<void> {
    return this.hooks.notify(SYSTEM, () =>
      this.payloads.buildAddedMembers(source, sourceId, userId),
    );
  }

  @OnDomainEvent(MembersRemoved)
  membersRemoved({ source, memberships }: MembersRemoved): Promise<void> {
    return this.hooks.notify(SYSTEM, () => this.payloads.buildRemovedMembers(source, memberships));
  }
}
