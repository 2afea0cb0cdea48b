import { Injectable } from '@nestjs/common';
import { Urls } from '../../../platform/config/index.js';
import { Secrets } from '../../../platform/secrets/index.js';
import { presentVisibility } from '../../authorization/v3/index.js';
import type { Namespace } from '../../groups/index.js';
import { UserPresenter } from '../../users/v3/index.js';
import type { Project } from '../model/project.entity.js';
import {
  type BriefProject,
  fullPathOf,
  type MembershipLevels,
  type ProjectWithRelations,
  type SharedGroup,
} from '../model/project-relations.js';
import type { ProjectOwner } from '../model/project-relations.sql.js';

/** The namespace that a project lies in (docs/reference/projects.md#the-project-object). */
class ProjectNamespaceView {
  id!: number;
  name!: string;
  path!: string;
  owner_id!: number | null;
  created_at!: Date;
  updated_at!: Date;
  description!: string;
  avatar!: AvatarView;
  share_with_group_lock!: boolean;
  visibility_level!: number;
}

class AvatarView {
  url!: string | null;
}

/** The owner of a project in a personal namespace. */
class ProjectOwnerView {
  id!: number;
  name!: string;
  username!: string;
  state!: string;
  avatar_url!: string | null;
  web_url!: string;
  created_at!: Date;
}

class MembershipView {
  access_level!: number;
  notification_level!: number;
}

/** The caller's direct memberships, null where there is none. */
class PermissionsView {
  project_access!: MembershipView | null;
  group_access!: MembershipView | null;
}

class SharedGroupView {
  group_id!: number;
  group_name!: string;
  group_access_level!: number;
}

/** The short form of a project that forks and todos embed. */
export class BriefProjectView {
  id!: number;
  name!: string;
  name_with_namespace!: string;
  path!: string;
  path_with_namespace!: string;
  http_url_to_repo!: string;
  web_url!: string;
}

/** The short form of a project in lists with `simple=true` (docs/reference/projects.md#the-project-object). */
export class SimpleProjectView {
  id!: number;
  http_url_to_repo!: string;
  web_url!: string;
  name!: string;
  name_with_namespace!: string;
  path!: string;
  path_with_namespace!: string;
}

/** A project (docs/reference/projects.md#the-project-object). */
export class ProjectView {
  id!: number;
  name!: string;
  path!: string;
  description!: string | null;
  name_with_namespace!: string;
  path_with_namespace!: string;
  /** Null until the first commit is pushed. */
  default_branch!: string | null;
  /** The topics, which version 4 sets. */
  tag_list!: string[];
  public!: boolean;
  archived!: boolean;
  /** 0 private, 10 internal, 20 public. */
  visibility_level!: number;
  ssh_url_to_repo!: string;
  http_url_to_repo!: string;
  web_url!: string;
  issues_enabled!: boolean;
  merge_requests_enabled!: boolean;
  wiki_enabled!: boolean;
  builds_enabled!: boolean;
  snippets_enabled!: boolean;
  container_registry_enabled!: boolean;
  shared_runners_enabled!: boolean;
  public_builds!: boolean;
  lfs_enabled!: boolean;
  created_at!: Date;
  last_activity_at!: Date;
  creator_id!: number;
  /** Present in personal namespaces. */
  owner?: ProjectOwnerView;
  namespace!: ProjectNamespaceView;
  avatar_url!: string | null;
  star_count!: number;
  forks_count!: number;
  /** Present while issues are enabled. */
  open_issues_count?: number;
  shared_with_groups!: SharedGroupView[];
  /** Present on forks whose source the caller may see. */
  forked_from_project?: BriefProjectView;
  /** Present for signed-in callers, on some endpoints. */
  permissions?: PermissionsView;
  /** Present for masters, on answers with a single project. */
  runners_token?: string;
  only_allow_merge_if_build_succeeds!: boolean;
  only_allow_merge_if_all_discussions_are_resolved!: boolean;
  request_access_enabled!: boolean;
}

@Injectable()
export class ProjectPresenter {
  constructor(
    private readonly urls: Urls,
    private readonly users: UserPresenter,
    private readonly secrets: Secrets,
  ) {}

  /**
   * @param withRunnersToken for masters, in responses with a single project
   * (docs/reference/projects.md#the-project-object)
   */
  present(loaded: ProjectWithRelations, { withRunnersToken = false } = {}): ProjectView {
    const { project, namespace, owner, forkedFrom, permissions, openIssuesCount } = loaded;
    const fullPath = fullPathOf(loaded);
    return {
      id: project.id,
      name: project.name,
      path: project.path,
      description: project.description,
      name_with_namespace: nameWithNamespace(loaded),
      path_with_namespace: fullPath,
      default_branch: project.defaultBranch,
      tag_list: [...project.topics],
      public: project.visibility === 'public',
      archived: project.archived,
      visibility_level: presentVisibility(project.visibility),
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
      ...(project.issuesEnabled ? { open_issues_count: openIssuesCount } : {}),
      shared_with_groups: loaded.sharedWith.map(presentShare),
      ...(forkedFrom === null ? {} : { forked_from_project: this.brief(forkedFrom) }),
      ...(permissions === undefined ? {} : { permissions: presentPermissions(permissions) }),
      ...(withRunnersToken ? { runners_token: this.secrets.open(project.runnersTokenSealed) } : {}),
    };
  }

  /** The short form of lists with `simple=true`. */
  simple(loaded: ProjectWithRelations): SimpleProjectView {
    const { project } = loaded;
    const fullPath = fullPathOf(loaded);
    return {
      id: project.id,
      http_url_to_repo: this.urls.gitOverHttp(fullPath),
      web_url: this.urls.project(fullPath),
      name: project.name,
      name_with_namespace: nameWithNamespace(loaded),
      path: project.path,
      path_with_namespace: fullPath,
    };
  }

  /** The short form that forks and todos embed. */
  brief(project: BriefProject): BriefProjectView {
    const fullPath = `${project.namespacePath}/${project.path}`;
    return {
      id: project.id,
      name: project.name,
      name_with_namespace: `${project.namespaceName} / ${project.name}`,
      path: project.path,
      path_with_namespace: fullPath,
      http_url_to_repo: this.urls.gitOverHttp(fullPath),
      web_url: this.urls.project(fullPath),
    };
  }

  private owner(user: ProjectOwner): ProjectOwnerView {
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
    visibility_level: presentVisibility(namespace.visibility),
  };
}

function nameWithNamespace({ project, namespace, owner }: ProjectWithRelations): string {
  return `${owner?.name ?? namespace.name} / ${project.name}`;
}

function presentShare({ groupId, groupName, groupAccess }: SharedGroup): SharedGroupView {
  return { group_id: groupId, group_name: groupName, group_access_level: groupAccess };
}

function presentPermissions({
  project,
  group,
}: Required<ProjectWithRelations>['permissions']): PermissionsView {
  return { project_access: presentMembership(project), group_access: presentMembership(group) };
}

function presentMembership(membership: MembershipLevels | null): MembershipView | null {
  return (
    membership && {
      access_level: membership.accessLevel,
      notification_level: membership.notificationLevel,
    }
  );
}
