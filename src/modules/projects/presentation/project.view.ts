/** The namespace that a project lies in (docs/reference/projects.md#the-project-object). */
export class ProjectNamespaceView {
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

export class AvatarView {
  url!: string | null;
}

/** The owner of a project in a personal namespace. */
export class ProjectOwnerView {
  id!: number;
  name!: string;
  username!: string;
  state!: string;
  avatar_url!: string | null;
  web_url!: string;
  created_at!: Date;
}

export class MembershipView {
  access_level!: number;
  notification_level!: number;
}

/** The caller's direct memberships, null where there is none. */
export class PermissionsView {
  project_access!: MembershipView | null;
  group_access!: MembershipView | null;
}

export class SharedGroupView {
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
