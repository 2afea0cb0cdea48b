/** A hook of the instance, without its token. */
export class SystemHookView {
  id!: number;
  /** With `***` for its password. */
  url!: string;
  created_at!: Date;
  push_events!: boolean;
  tag_push_events!: boolean;
  enable_ssl_verification!: boolean;
}

/** The payload of `project_create`, as system hooks get it. */
export class SampleEventView {
  event_name!: string;
  created_at!: string;
  updated_at!: string;
  name!: string;
  path!: string;
  path_with_namespace!: string;
  project_id!: number;
  owner_name!: string;
  owner_email!: string;
  project_visibility!: string;
}
