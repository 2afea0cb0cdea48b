import { V4UserBasicView } from '../../users/v4/index.js';

/** The namespace that a project lies in. */
export class V4ProjectNamespaceView {
  id!: number;
  name!: string;
  path!: string;
  /** `user` or `group`. */
  kind!: string;
  full_path!: string;
  /** Always null: groups have no subgroups. */
  parent_id!: number | null;
  avatar_url!: string | null;
  web_url!: string;
}

/** Addresses of the API. */
export class V4ProjectLinksView {
  self!: string;
  /** Present while issues are enabled. */
  issues?: string;
  /** Present while merge requests are enabled. */
  merge_requests?: string;
  repo_branches!: string;
  labels!: string;
  events!: string;
  members!: string;
}

/** The owner of a project in a personal namespace. */
export class V4ProjectOwnerView extends V4UserBasicView {
  created_at!: Date;
}

export class V4ProjectMembershipView {
  access_level!: number;
  notification_level!: number;
}

/** The caller's direct memberships, null where there is none. The owner of a personal project has level 50. */
export class V4PermissionsView {
  project_access!: V4ProjectMembershipView | null;
  group_access!: V4ProjectMembershipView | null;
}

export class V4SharedGroupView {
  group_id!: number;
  group_name!: string;
  group_full_path!: string;
  group_access_level!: number;
  expires_at!: string | null;
}

/** The names of a project, which other objects embed. */
export class V4ProjectIdentityView {
  id!: number;
  description!: string | null;
  name!: string;
  name_with_namespace!: string;
  path!: string;
  path_with_namespace!: string;
  created_at!: Date;
}

/** The source of a fork. */
export class V4ForkedFromView {
  id!: number;
  name!: string;
  name_with_namespace!: string;
  path!: string;
  path_with_namespace!: string;
  http_url_to_repo!: string;
  web_url!: string;
}

/** A project in lists with `simple=true`. */
export class V4SimpleProjectView extends V4ProjectIdentityView {
  /** Of an empty repository the branch that the first commit makes. */
  default_branch!: string;
  /** The same as `topics`. */
  tag_list!: string[];
  topics!: string[];
  ssh_url_to_repo!: string;
  http_url_to_repo!: string;
  web_url!: string;
  /** Always null. */
  readme_url!: string | null;
  forks_count!: number;
  avatar_url!: string | null;
  star_count!: number;
  last_activity_at!: Date;
  /** `private`, `internal` or `public`. */
  visibility!: string;
  namespace!: V4ProjectNamespaceView;
}

/** A project. */
export class V4ProjectView extends V4SimpleProjectView {
  _links!: V4ProjectLinksView;
  /** Whether it has no branch. */
  empty_repo!: boolean;
  archived!: boolean;
  /** Present in personal namespaces. */
  owner?: V4ProjectOwnerView;
  issues_enabled!: boolean;
  merge_requests_enabled!: boolean;
  wiki_enabled!: boolean;
  jobs_enabled!: boolean;
  snippets_enabled!: boolean;
  container_registry_enabled!: boolean;
  /** `enabled` or `disabled`, as all that end in `_access_level`. */
  issues_access_level!: string;
  /** Always `enabled`. */
  repository_access_level!: string;
  merge_requests_access_level!: string;
  /** Always `enabled`. */
  forking_access_level!: string;
  wiki_access_level!: string;
  builds_access_level!: string;
  snippets_access_level!: string;
  container_registry_access_level!: string;
  shared_runners_enabled!: boolean;
  lfs_enabled!: boolean;
  creator_id!: number;
  /** `started` while the repository is being filled, `finished` for a fork that is ready, else `none`. */
  import_status!: string;
  /** Present while issues are enabled. */
  open_issues_count?: number;
  updated_at!: Date;
  public_jobs!: boolean;
  /** Groups that the caller sees by their visibility or as a member; administrators see all. */
  shared_with_groups!: V4SharedGroupView[];
  only_allow_merge_if_pipeline_succeeds!: boolean;
  /** Always false. */
  allow_merge_on_skipped_pipeline!: boolean;
  request_access_enabled!: boolean;
  only_allow_merge_if_all_discussions_are_resolved!: boolean;
  /** Always false. */
  remove_source_branch_after_merge!: boolean;
  /** `merge`, `rebase_merge` or `ff`. */
  merge_method!: string;
  /** `never`, `always`, `default_on` or `default_off`. */
  squash_option!: string;
  /** Always false. */
  mirror!: boolean;
  /** Present on forks whose source the caller may see. */
  forked_from_project?: V4ForkedFromView;
  /** Present for signed-in callers, on reading one project and on lists. */
  permissions?: V4PermissionsView;
}

/** The answer to what is done in the background. */
export class V4AcceptedView {
  /** `202 Accepted`. */
  message!: string;
}
