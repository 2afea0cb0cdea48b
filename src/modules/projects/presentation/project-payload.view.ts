/** A project in payloads, with the older names of its addresses. */
export class PushProjectView {
  name!: string;
  description!: string | null;
  web_url!: string;
  /** Always null. */
  avatar_url!: string | null;
  git_ssh_url!: string;
  git_http_url!: string;
  /** Display name of the namespace. */
  namespace!: string;
  visibility_level!: number;
  path_with_namespace!: string;
  default_branch!: string | null;
  homepage!: string;
  url!: string;
  ssh_url!: string;
  http_url!: string;
}

/** The repository of a project in payloads. */
export class PushRepositoryView {
  name!: string;
  url!: string;
  description!: string | null;
  homepage!: string;
  git_http_url!: string;
  git_ssh_url!: string;
  visibility_level!: number;
}
