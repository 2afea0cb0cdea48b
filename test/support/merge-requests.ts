import { type Cast, makeCast } from './cast.js';
import { FIRST_COMMIT } from './checkout.js';
import { pushDirectly } from './direct-push.js';
import type { MadeProject, Person } from './factories.js';
import { blobObject, commitObject, treeObject } from './git-objects.js';
import type { Trellis } from './trellis.js';

/** What tests look at of a merge request's answer. */
export interface MergeRequestBody {
  id: number;
  iid: number;
  project_id: number;
  title: string;
  description: string | null;
  state: string;
  created_at: string;
  updated_at: string;
  source_branch: string;
  target_branch: string;
  source_project_id: number | null;
  labels: string[];
  milestone: { id: number } | null;
  assignee: { id: number } | null;
  author: { id: number };
  work_in_progress: boolean;
  merge_status: string;
  sha: string | null;
  subscribed: boolean;
  force_remove_source_branch: boolean;
}

export const mergeRequestsOf = ({ id }: { id: number }): string =>
  `/projects/${String(id)}/merge_requests`;

export const pathOf = ({ id, project_id }: Pick<MergeRequestBody, 'id' | 'project_id'>): string =>
  `/projects/${String(project_id)}/merge_requests/${String(id)}`;

/** A cast whose projects have `master`, and branches that are one commit ahead of it. */
export interface BranchedCast extends Cast {
  /** Head of `master`. */
  head: string;
  /** Head of every other branch. */
  topic: string;
  /** The name of a branch that no other call has answered; all projects have it. */
  fresh(): string;
}

const BRANCHES = 120;

export async function makeBranchedCast(trellis: Trellis): Promise<BranchedCast> {
  const cast = await makeCast(trellis);
  const owner = cast.people.owner as Person;
  const { oid: head } = FIRST_COMMIT;
  const names = Array.from({ length: BRANCHES }, (_, index) => `topic/${String(index + 1)}`);
  const topic = await fill(trellis, Object.values(cast.projects), owner, ['other', ...names]);
  // So many pushes would fill the first page of every feed.
  await trellis.rows('DELETE FROM events');
  const left = [...names];
  const fresh = () => {
    const name = left.shift();
    if (name === undefined) throw new Error('Every branch is in use');
    return name;
  };
  return { ...cast, head, topic, fresh };
}

/** Pushes `master` and branches that are one commit ahead of it; returns the head of these. */
async function fill(
  trellis: Trellis,
  projects: readonly MadeProject[],
  owner: Person,
  names: readonly string[],
): Promise<string> {
  const blob = blobObject('Second commit 2\n');
  const tree = treeObject(new Map([...FIRST_COMMIT.files, ['topic.txt', blob.oid]]));
  const commit = commitObject(tree.oid, [FIRST_COMMIT.oid], 'Second commit');
  const branches = names.map((name) => [`refs/heads/${name}`, commit.oid] as const);
  for (const project of projects) {
    const by = { project, person: owner };
    const master = new Map([['refs/heads/master', FIRST_COMMIT.oid]]);
    await pushDirectly(trellis, by, master, FIRST_COMMIT.objects);
    await pushDirectly(trellis, by, new Map(branches), [blob, tree, commit]);
  }
  return commit.oid;
}

/** Opens a merge request into `master` through the API; the title is `Add a topic` unless said otherwise. */
export async function openMergeRequest(
  trellis: Trellis,
  person: Person,
  project: Pick<MadeProject, 'id'>,
  body: { source_branch: string; [parameter: string]: unknown },
): Promise<MergeRequestBody> {
  const input = { title: 'Add a topic', target_branch: 'master', ...body };
  const answer = await trellis.as(person).post(mergeRequestsOf(project), input).expect(200);
  return answer.body as MergeRequestBody;
}

/** What the notes of a merge request say that the service wrote, the oldest first. */
export async function systemNotes(trellis: Trellis, { id }: { id: number }): Promise<string[]> {
  const rows = await trellis.rows<{ body: string }>(
    `SELECT body FROM notes
      WHERE noteable_type = 'MergeRequest' AND noteable_id = $1 AND system ORDER BY id`,
    [id],
  );
  return rows.map(({ body }) => body);
}

/** The events on a merge request, the oldest first. */
export function eventsOn(trellis: Trellis, { id }: { id: number }) {
  return trellis.rows<{ author_id: number; action: string; project_id: number }>(
    `SELECT author_id, action, project_id FROM events
      WHERE target_type = 'MergeRequest' AND target_id = $1 ORDER BY id`,
    [id],
  );
}

/** Todos for a merge request, the oldest first. */
export function todosFor(trellis: Trellis, { id }: { id: number }) {
  return trellis.rows<{ user_id: number; action: string; state: string; author_id: number }>(
    `SELECT user_id, action, state, author_id FROM todos
      WHERE target_type = 'MergeRequest' AND target_id = $1 ORDER BY id`,
    [id],
  );
}

/** The row of a merge request, as it is. */
export async function rowOf(
  trellis: Trellis,
  { id }: { id: number },
): Promise<Record<string, unknown>> {
  const [row] = await trellis.rows('SELECT * FROM merge_requests WHERE id = $1', [id]);
  return row as Record<string, unknown>;
}

/** How many versions a merge request has. */
export async function versionsOf(trellis: Trellis, { id }: { id: number }) {
  return trellis.rows<{
    base_commit_sha: string;
    start_commit_sha: string;
    head_commit_sha: string;
  }>(
    `SELECT base_commit_sha, start_commit_sha, head_commit_sha FROM merge_request_versions
      WHERE merge_request_id = $1 ORDER BY id`,
    [id],
  );
}
