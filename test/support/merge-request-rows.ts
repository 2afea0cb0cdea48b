import type { Trellis } from './trellis.js';

/** A merge request as a test wants it to be in the database; what is absent does not matter to the test. */
export interface MergeRequestRow {
  authorId: number;
  assigneeId?: number | null;
  state?: 'opened' | 'reopened' | 'closed' | 'merged';
  headSha?: string;
  title?: string;
  createdAt?: string;
  updatedAt?: string;
}

/** Adds merge requests to a project, numbered from 1, by one statement; answers their IDs in that order. */
export async function addMergeRequests(
  trellis: Trellis,
  { id }: { id: number },
  rows: readonly MergeRequestRow[],
): Promise<number[]> {
  const made = await trellis.rows<{ id: number; iid: number }>(
    `INSERT INTO merge_requests (project_id, source_project_id, iid, title, author_id, assignee_id,
                                 state, source_branch, target_branch, head_sha, created_at, updated_at)
     SELECT $1, $1, number, coalesce(r->>'title', 'Request ' || number), (r->>'authorId')::int, (r->>'assigneeId')::int,
            coalesce(r->>'state', 'opened'), 'topic/' || number, 'master', r->>'headSha',
            coalesce((r->>'createdAt')::timestamptz, now()),
            coalesce((r->>'updatedAt')::timestamptz, now())
       FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS given (r, number)
     RETURNING id, iid`,
    [id, JSON.stringify(rows)],
  );
  await trellis.rows(`INSERT INTO internal_ids VALUES ($1, 'MergeRequest', $2)`, [id, rows.length]);
  return made.toSorted((a, b) => a.iid - b.iid).map((row) => row.id);
}

/**
 * Gives all merge requests of a project what lists embed: a milestone and a label, another label for
 * one in a thousand, and each a note and an award by its author.
 */
export async function furnishMergeRequests(
  trellis: Trellis,
  { id }: { id: number },
): Promise<void> {
  await trellis.rows(
    `WITH milestone AS (
       INSERT INTO milestones (project_id, iid, title) VALUES ($1, 1, 'one') RETURNING id
     ), label AS (
       INSERT INTO labels (project_id, name, color)
       VALUES ($1, 'common', '#428BCA'), ($1, 'rare', '#428BCA') RETURNING id, name
     ), request AS (
       SELECT * FROM merge_requests WHERE project_id = $1
     ), furnished AS (
       UPDATE merge_requests SET milestone_id = milestone.id
         FROM milestone WHERE project_id = $1
     ), noted AS (
       INSERT INTO notes (project_id, noteable_type, noteable_id, author_id, body)
       SELECT $1, 'MergeRequest', id, author_id, 'A word on it' FROM request
     ), awarded AS (
       INSERT INTO award_emoji (project_id, awardable_type, awardable_id, user_id, name)
       SELECT $1, 'MergeRequest', id, author_id, 'thumbsup' FROM request)
     INSERT INTO label_links (target_type, target_id, label_id, created_at, state, confidential,
                              author_id)
     SELECT 'MergeRequest', request.id, label.id, created_at, state, false, author_id
       FROM request, label WHERE label.name = 'common' OR iid % 1000 = 0`,
    [id],
  );
}
