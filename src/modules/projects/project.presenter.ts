import { Injectable } from '@nestjs/common';
import { Secrets } from '../../platform/secrets/index.js';
import { Urls } from '../../platform/urls/index.js';
import { Visibility } from '../access/index.js';
import type { Namespace } from '../groups/index.js';
import { type User, UserPresenter } from '../users/index.js';
import type { ProjectMember } from './members/project-member.entity.js';
import type { Project } from './project.entity.js';
import type {
  MembershipView,
  PermissionsView,
  ProjectNamespaceView,
  ProjectOwnerView,
  ProjectView,
} from './project.view.js';

/** A project with the records that its answer embeds. */
export interface ProjectWithParts {
  project: Project;
  namespace: Namespace;
  /** Null in a group's namespace. */
  owner: User | null;
  /** The caller's direct membership; undefined leaves `permissions` out of the answer. */
  membership?: ProjectMember | null;
}

@Injectable()
export class ProjectPresenter {
  constructor(
    private readonly urls: Urls,
    private readonly users: UserPresenter,
    private readonly secrets: Secrets,
  ) {}

  /** @param withRunnersToken for masters, on answers with a single project (open points 4.1) */
  present(parts: ProjectWithParts, { withRunnersToken = false } = {}): ProjectView {
    const { project, namespace, owner, membership } = parts;
    const fullPath = `${namespace.path}/${project.path}`;
    return {
      id: project.id,
      name: project.name,
      path: project.path,
      description: project.description,
      name_with_namespace: `${owner?.name ?? namespace.name} / ${project.name}`,
      path_with_namespace: fullPath,
      default_branch: project.defaultBranch,
      tag_list: [],
      public: project.visibilityLevel === Visibility.PUBLIC,
      archived: project.archived,
      visibility_level: project.visibilityLevel,
      ssh_url_to_repo: this.urls.gitOverSsh(fullPath),
      http_url_to_repo: this.urls.gitOverHttp(fullPath),
      web_url: this.urls.project(fullPath),
      ...switches(project),
      created_at: project.createdAt,
      last_activity_at: project.lastActivityAt,
      creator_id: project.creatorId,
      ...(owner === null ? {} : { owner: this.owner(owner) }),
      namespace: presentNamespace(namespace),
      avatar_url: null,
      star_count: project.starCount,
      forks_count: project.forksCount,
      ...(project.issuesEnabled ? { open_issues_count: project.openIssuesCount } : {}),
      shared_with_groups: [],
      ...(membership === undefined ? {} : { permissions: presentPermissions(membership) }),
      ...(withRunnersToken ? { runners_token: this.secrets.open(project.runnersTokenSealed) } : {}),
    };
  }

  private owner(user: User): ProjectOwnerView {
    return { ...this.users.summary(user), created_at: user.createdAt };
  }
}

function switches(project: Project) {
  return {
    issues_enabled: project.issuesEnabled,
    merge_requests_enabled: project.mergeRequestsEnabled,
    wiki_enabled: project.wikiEnabled,
    builds_enabled: project.buildsEnabled,
    snippets_enabled: project.snippetsEnabled,
    container_registry_enabled: project.containerRegistryEnabled,
    shared_runners_enabled: project.sharedRunnersEnabled,
    public_builds: project.publicBuilds,
    lfs_enabled: project.lfsEnabled,
    only_allow_merge_if_build_succeeds: project.onlyAllowMergeIfBuildSucceeds,
    only_allow_merge_if_all_discussions_are_resolved:
      project.onlyAllowMergeIfAllDiscussionsAreResolved,
    request_access_enabled: project.requestAccessEnabled,
  };
}

function presentNamespace(namespace: Namespace): ProjectNamespaceView {
  return {
    id: namespace.id,
    name: namespace.name,
    path: namespace.path,
    owner_id: namespace.ownerId,
    created_at: namespace.createdAt,
    updated_at: namespace.updatedAt,
    description: namespace.description,
    avatar: { url: null },
    share_with_group_lock: namespace.shareWithGroupLock,
    visibility_level: namespace.visibilityLevel,
  };
}

function presentPermissions(membership: ProjectMember | null): PermissionsView {
  const direct: MembershipView | null = membership && {
    access_level: membership.accessLevel,
    notification_level: membership.notificationLevel,
  };
  return { project_access: direct, group_access: null };
}
