import { ZERO_OID } from '../../../git/index.js';
import type { UserSummaryView } from '../../users/v3/index.js';
import { PushProjectView, PushRepositoryView } from '../../projects/v3/index.js';

class PushAuthorView {
  name!: string;
  email!: string;
}

class PushCommitView {
  id!: string;
  message!: string;
  /** In the committer's own offset, without a fraction of a second. */
  timestamp!: string;
  url!: string;
  author!: PushAuthorView;
}

/**
 * The change of one ref by a push (docs/reference/events.md#the-event-object and
 * docs/reference/events.md#push-data).
 */
export class PushDataView {
  /** `push` for branches, `tag_push` for tags. */
  object_kind!: string;
  /** The same as `object_kind`. */
  event_name!: string;
  /** 40 zeros when the ref was created. */
  before!: string;
  /** 40 zeros when the ref was deleted. */
  after!: string;
  ref!: string;
  /** The commit that the ref points to; null when it was deleted. */
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

/** The recorded data of a push to one ref; older versions recorded no message. */
export type RecordedPush = Pick<
  PushDataView,
  'object_kind' | 'before' | 'after' | 'ref' | 'project_id' | 'commits' | 'total_commits_count'
> &
  Partial<Pick<PushDataView, 'message'>>;

/** The current state of the pusher and the project of a recorded push. */
interface PushContext {
  pusher: Pick<UserSummaryView, 'id' | 'name' | 'avatar_url'>;
  project: PushProjectView;
  repository: PushRepositoryView;
}

/** Returns the commit that a ref points to after a push; null for a deleted ref and a tag of another object. */
export function checkoutSha({
  object_kind: kind,
  after,
  commits,
}: Pick<PushDataView, 'object_kind' | 'after'> & {
  readonly commits: readonly { readonly id: string }[];
}): string | null {
  if (after === ZERO_OID) return null;
  return kind === 'tag_push' ? (commits[0]?.id ?? null) : after;
}

/**
 * Presents the `data` of a push event. Pusher and project are shown as they are now, so that no name of a deleted
 * account remains and all addresses work. E-mail addresses of accounts are left out, since anonymous readers see
 * the feeds of public projects.
 */
export function presentPushData(
  push: RecordedPush,
  { pusher, project, repository }: PushContext,
): PushDataView {
  return {
    object_kind: push.object_kind,
    event_name: push.object_kind,
    before: push.before,
    after: push.after,
    ref: push.ref,
    checkout_sha: checkoutSha(push),
    message: push.message ?? null,
    user_id: pusher.id,
    user_name: pusher.name,
    user_avatar: pusher.avatar_url,
    project_id: push.project_id,
    project,
    repository,
    commits: push.commits,
    total_commits_count: push.total_commits_count,
  };
}
