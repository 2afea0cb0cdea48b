import { Injectable } from '@nestjs/common';
import { v4Address } from '../../../faces/index.js';
import { Urls } from '../../../platform/config/index.js';
import { Level } from '../../authorization/index.js';
import { presentV4Namespace } from '../../groups/v4/index.js';
import type { User } from '../../users/index.js';
import { V4UserPresenter } from '../../users/v4/index.js';
import type { Project } from '../model/project.entity.js';
import {
  type BriefProject,
  fullPathOf,
  type MembershipLevels,
  type ProjectWithRelations,
  type SharedGroup,
} from '../model/project-relations.js';
import { CONVENTIONAL_BRANCH } from '../model/project.rules.js';
import type {
  V4ForkedFromView,
  V4PermissionsView,
  V4ProjectLinksView,
  V4ProjectView,
  V4SharedGroupView,
  V4SimpleProjectView,
} from './project.view.js';

/** The notification level of the owner of a personal namespace without a membership: that of the account. */
const GLOBAL_NOTIFICATIONS = 3;

@Injectable()
export class V4ProjectPresenter {
  constructor(
    private readonly urls: Urls,
    private readonly users: V4UserPresenter,
  ) {}

  /** @param reader the account that gets the answer; null is anonymous */
  present(loaded: ProjectWithRelations, reader: Pick<User, 'id'> | null): V4ProjectView {
    const { project, owner, forkedFrom, permissions, openIssuesCount } = loaded;
    return {
      ...this.simple(loaded),
      _links: this.links(project),
      empty_repo: project.defaultBranch === null,
      archived: project.archived,
      ...(owner === null
        ? {}
        : { owner: { ...this.users.basic(owner), created_at: owner.createdAt } }),
      ...presentSwitches(project),
      creator_id: project.creatorId,
      import_status: importStatus(loaded),
      ...(project.issuesEnabled ? { open_issues_count: openIssuesCount } : {}),
      updated_at: project.updatedAt,
      shared_with_groups: loaded.sharedWith.filter(({ isVisible }) => isVisible).map(presentShare),
      ...(forkedFrom === null ? {} : { forked_from_project: this.source(forkedFrom) }),
      ...(permissions === undefined
        ? {}
        : {
            permissions: presentPermissions(loaded.namespace.ownerId === reader?.id, permissions),
          }),
    };
  }

  /** The short form of lists with `simple=true`. */
  simple(loaded: ProjectWithRelations): V4SimpleProjectView {
    const { project, namespace, owner } = loaded;
    const fullPath = fullPathOf(loaded);
    return {
      id: project.id,
      description: project.description,
      name: project.name,
      name_with_namespace: `${owner?.name ?? namespace.name} / ${project.name}`,
      path: project.path,
      path_with_namespace: fullPath,
      created_at: project.createdAt,
      default_branch: project.defaultBranch ?? project.initialBranch ?? CONVENTIONAL_BRANCH,
      tag_list: [...project.topics],
      topics: [...project.topics],
      ssh_url_to_repo: this.urls.gitOverSsh(fullPath),
      http_url_to_repo: this.urls.gitOverHttp(fullPath),
      web_url: this.urls.project(fullPath),
      readme_url: null,
      forks_count: project.forksCount,
      avatar_url: null,
      star_count: project.starCount,
      last_activity_at: project.lastActivityAt,
      visibility: project.visibility,
      namespace: {
        ...presentV4Namespace(namespace, this.urls),
        name: owner?.name ?? namespace.name,
      },
    };
  }

  private source(project: BriefProject): V4ForkedFromView {
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

  private links({ id, issuesEnabled, mergeRequestsEnabled }: Project): V4ProjectLinksView {
    const self = v4Address(this.urls, 'projects', String(id));
    return {
      self,
      ...(issuesEnabled ? { issues: `${self}/issues` } : {}),
      ...(mergeRequestsEnabled ? { merge_requests: `${self}/merge_requests` } : {}),
      repo_branches: `${self}/repository/branches`,
      labels: `${self}/labels`,
      events: `${self}/events`,
      members: `${self}/members`,
    };
  }
}

const accessLevel = (enabled: boolean): string => (enabled ? 'enabled' : 'disabled');

function presentSwitches(project: Project) {
  return {
    issues_enabled: project.issuesEnabled,
    merge_requests_enabled: project.mergeRequestsEnabled,
    wiki_enabled: project.wikiEnabled,
    jobs_enabled: project.buildsEnabled,
    snippets_enabled: project.snippetsEnabled,
    container_registry_enabled: project.containerRegistryEnabled,
    issues_access_level: accessLevel(project.issuesEnabled),
    repository_access_level: accessLevel(true),
    merge_requests_access_level: accessLevel(project.mergeRequestsEnabled),
    forking_access_level: accessLevel(true),
    wiki_access_level: accessLevel(project.wikiEnabled),
    builds_access_level: accessLevel(project.buildsEnabled),
    snippets_access_level: accessLevel(project.snippetsEnabled),
    container_registry_access_level: accessLevel(project.containerRegistryEnabled),
    shared_runners_enabled: project.sharedRunnersEnabled,
    lfs_enabled: project.lfsEnabled,
    public_jobs: project.publicBuilds,
    only_allow_merge_if_pipeline_succeeds: project.onlyAllowMergeIfBuildSucceeds,
    allow_merge_on_skipped_pipeline: false,
    request_access_enabled: project.requestAccessEnabled,
    only_allow_merge_if_all_discussions_are_resolved:
      project.onlyAllowMergeIfAllDiscussionsAreResolved,
    remove_source_branch_after_merge: false,
    merge_method: project.mergeMethod,
    squash_option: project.squashOption,
    mirror: false,
  };
}

function importStatus({ project, forkedFrom }: ProjectWithRelations): string {
  if (project.repositoryState !== 'ready') return 'started';
  return forkedFrom === null ? 'none' : 'finished';
}

function presentShare(share: SharedGroup): V4SharedGroupView {
  return {
    group_id: share.groupId,
    group_name: share.groupName,
    group_full_path: share.groupPath,
    group_access_level: share.groupAccess,
    expires_at: share.expiresAt,
  };
}

function presentPermissions(
  isPersonalOwner: boolean,
  { project, group }: Required<ProjectWithRelations>['permissions'],
): V4PermissionsView {
  const present = (membership: MembershipLevels | null) =>
    membership && {
      access_level: membership.accessLevel,
      notification_level: membership.notificationLevel,
    };
  const project_access = isPersonalOwner
    ? {
        access_level: Level.OWNER,
        notification_level: project?.notificationLevel ?? GLOBAL_NOTIFICATIONS,
      }
    : present(project);
  return { project_access, group_access: present(group) };
}
