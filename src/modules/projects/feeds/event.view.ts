import { UserSummaryView } from '../../users/index.js';

/** A project as pushes name it, with the older names of its addresses. */
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

export class PushRepositoryView {
  name!: string;
  url!: string;
  description!: string | null;
  homepage!: string;
  git_http_url!: string;
  git_ssh_url!: string;
  visibility_level!: number;
}

export class PushAuthorView {
  name!: string;
  email!: string;
}

export class PushCommitView {
  id!: string;
  message!: string;
  /** In the committer's own offset, without a fraction of a second. */
  timestamp!: string;
  url!: string;
  author!: PushAuthorView;
}

/**
 * What a push did to one ref (docs/reference/events.md#the-event-object and
 * docs/reference/events.md#push-data).
 */
export class PushDataView {
  /** `push` for branches, `tag_push` for tags. */
  object_kind!: string;
  /** The same as `object_kind`. */
  event_name!: string;
  /** 40 zeros when the ref was made. */
  before!: string;
  /** 40 zeros when the ref was deleted. */
  after!: string;
  ref!: string;
  /** The commit that the ref leads to; null when it was deleted. */
  checkout_sha!: string | null;
  /** Of an annotated tag. */
  message!: string | null;
  user_id!: number;
  user_name!: string;
  user_avatar!: string | null;
  project_id!: number;
  project!: PushProjectView;
  repository!: PushRepositoryView;
  /** The newest 20 of the pushed ones, the oldest first. */
  commits!: PushCommitView[];
  total_commits_count!: number;
}

/** A comment (docs/reference/notes.md#the-note-object). */
export class NoteView {
  id!: number;
  body!: string;
  /** Always null. */
  attachment!: string | null;
  author!: UserSummaryView;
  created_at!: Date;
  updated_at!: Date;
  /** Whether the service wrote it. */
  system!: boolean;
  /** Of the issue or merge request; null on commits. */
  noteable_id!: number | null;
  /** `Issue`, `MergeRequest` or `Commit`. */
  noteable_type!: string;
  /** Always false. */
  upvote!: boolean;
  /** Always false. */
  downvote!: boolean;
}

/** Something that happened in a project (docs/reference/events.md#the-event-object). */
export class EventView {
  title!: string | null;
  project_id!: number;
  action_name!: string;
  target_id!: number | null;
  target_type!: string | null;
  target_title!: string | null;
  author_id!: number;
  author_username!: string;
  author!: UserSummaryView;
  /** Of pushes only. */
  data!: PushDataView | null;
  created_at!: Date;
  /** Of comments only. */
  note?: NoteView;
}
