import { Injectable } from '@nestjs/common';
import { type EndedMembership, Level, type MembershipSource } from '../../authorization/index.js';
import type { Namespace } from '../../groups/index.js';
import type { ProjectMoved } from '../../projects/index.js';
import type { SshKeysChanged } from '../../users/index.js';
import {
  type PayloadMembership,
  type SystemProject,
  PayloadsRepository,
} from './payloads.repository.js';

const ROLES: Readonly<Record<number, string>> = {
  [Level.GUEST]: 'Guest',
  [Level.REPORTER]: 'Reporter',
  [Level.DEVELOPER]: 'Developer',
  [Level.MASTER]: 'Master',
  [Level.OWNER]: 'Owner',
};

/**
 * Builds the payloads that only system hooks get: of accounts, keys, groups, projects and members. See
 * docs/reference/hooks.md#events-of-the-instance.
 */
@Injectable()
export class InstancePayloadBuilder {
  constructor(private readonly payloads: PayloadsRepository) {}

  /** Null when the account's row no longer exists. */
  async buildUser(event: 'user_create' | 'user_destroy', id: number): Promise<object | null> {
    const user = await this.payloads.findUser(id);
    return (
      user && {
        event_name: event,
        created_at: user.createdAt,
        updated_at: user.updatedAt,
        name: user.name,
        email: user.email,
        user_id: user.id,
        username: user.username,
      }
    );
  }

  /** Builds one payload per key; those of deploy keys have no `username`. */
  async buildKeys({ keys, change }: SshKeysChanged): Promise<object[]> {
    const usernames = await this.payloads.findUsernames(keys.flatMap(({ userId }) => userId ?? []));
    return keys.map((key) => {
      const username = key.userId === null ? undefined : usernames.get(key.userId);
      return {
        event_name: change === 'added' ? 'key_create' : 'key_destroy',
        created_at: key.createdAt,
        updated_at: key.updatedAt,
        key: key.key,
        id: key.id,
        ...(username === undefined ? {} : { username }),
      };
    });
  }

  buildGroup(event: 'group_create' | 'group_destroy', group: Namespace): object {
    return {
      event_name: event,
      created_at: group.createdAt,
      updated_at: group.updatedAt,
      name: group.name,
      path: group.path,
      group_id: group.id,
      owner_name: null,
      owner_email: null,
    };
  }

  /** Builds one payload per project, also for those just deleted. */
  async buildProjects(
    event: 'project_create' | 'project_destroy',
    ids: readonly number[],
  ): Promise<object[]> {
    const projects = await this.payloads.findProjects(ids);
    return projects.map((project) => projectPayload(event, project));
  }

  /** Builds `project_rename` within a namespace, else `project_transfer`. */
  async buildMovedProject({ projectId, from }: ProjectMoved): Promise<object | null> {
    const [project] = await this.payloads.findProjects([projectId]);
    const oldNamespacePath = await this.payloads.findNamespacePath(from.namespaceId);
    if (project === undefined || oldNamespacePath === null) return null;
    const event = project.namespaceId === from.namespaceId ? 'project_rename' : 'project_transfer';
    const old_path_with_namespace = `${oldNamespacePath}/${from.path}`;
    return { ...projectPayload(event, project), old_path_with_namespace };
  }

  /**
   * Builds one payload per member added to a project or group.
   * @param userId null for all its members
   */
  async buildAddedMembers(
    source: MembershipSource,
    sourceId: number,
    userId: number | null,
  ): Promise<object[]> {
    const memberships = await this.payloads.findMemberships(source, sourceId, userId);
    return memberships.map((membership) => memberPayload(source, 'add_to', membership));
  }

  /** Builds one payload per member removed from projects or groups. */
  async buildRemovedMembers(
    source: MembershipSource,
    ended: readonly EndedMembership[],
  ): Promise<object[]> {
    const memberships = await this.payloads.describeEndedMemberships(source, ended);
    return memberships.map((membership) => memberPayload(source, 'remove_from', membership));
  }
}

const projectPayload = (event: string, project: SystemProject): object => ({
  event_name: event,
  created_at: project.createdAt,
  updated_at: project.updatedAt,
  name: project.name,
  path: project.path,
  path_with_namespace: project.fullPath,
  project_id: project.id,
  owner_name: project.ownerName,
  owner_email: project.ownerEmail,
  project_visibility: project.visibility,
});

function memberPayload(
  source: MembershipSource,
  verb: 'add_to' | 'remove_from',
  membership: PayloadMembership,
): object {
  const role = ROLES[membership.accessLevel] ?? 'Guest';
  const times = { created_at: membership.createdAt, updated_at: membership.createdAt };
  const member = {
    user_username: membership.username,
    user_name: membership.userName,
    user_email: membership.email,
    user_id: membership.userId,
  };
  if (source === 'group') {
    return {
      event_name: `user_${verb}_group`,
      ...times,
      group_name: membership.name,
      group_path: membership.path,
      group_id: membership.sourceId,
      ...member,
      group_access: role,
    };
  }
  return {
    event_name: `user_${verb}_team`,
    ...times,
    project_name: membership.name,
    project_path: membership.path,
    project_path_with_namespace: membership.fullPath,
    project_id: membership.sourceId,
    ...member,
    access_level: role,
    project_visibility: membership.visibility,
  };
}
