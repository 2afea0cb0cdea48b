/** A hook of a project (specification 2.12); its token is never told. */
export class ProjectHookView {
  id!: number;
  project_id!: number;
  /** With `***` for its password. */
  url!: string;
  push_events!: boolean;
  issues_events!: boolean;
  merge_requests_events!: boolean;
  tag_push_events!: boolean;
  note_events!: boolean;
  build_events!: boolean;
  pipeline_events!: boolean;
  /** Nothing fires it: there are no wikis. */
  wiki_page_events!: boolean;
  enable_ssl_verification!: boolean;
  created_at!: Date;
}
