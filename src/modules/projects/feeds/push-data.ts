import { ZERO_OID } from '../../../git/index.js';
import type { UserSummaryView } from '../../users/index.js';
import type { PushDataView, PushProjectView, PushRepositoryView } from './event.view.js';

/** What is recorded of a push to one ref; older versions record no message. */
export type RecordedPush = Pick<
  PushDataView,
  'object_kind' | 'before' | 'after' | 'ref' | 'project_id' | 'commits' | 'total_commits_count'
> &
  Partial<Pick<PushDataView, 'message'>>;

/** What a push is shown with as it is now: the pusher, and the project under both of its forms. */
export interface PushSurroundings {
  pusher: Pick<UserSummaryView, 'id' | 'name' | 'avatar_url'>;
  project: PushProjectView;
  repository: PushRepositoryView;
}

/** The commit that a ref leads to after a push: null for a deleted ref and for a tag of anything else. */
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
 * The `data` of a push event. Pusher and project are shown as they are now: of a deleted account no name
 * remains, and addresses are those that work. E-mail addresses of accounts are left out, since anonymous readers see the feeds of public projects.
 */
export function presentPushData(
  push: RecordedPush,
  { pusher, project, repository }: PushSurroundings,
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
