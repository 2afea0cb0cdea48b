/** A hook of a project, without its token. */
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
  /** Stored, but no event fires it: there are no wikis. */
  wiki_page_events!: boolean;
  enable_ssl_verification!: boolean;
  created_at!: Date;
}
