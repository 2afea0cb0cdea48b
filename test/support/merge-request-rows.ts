import type { Trellis } from './trellis.js';

/** A merge request as a test wants it to be in the database; what is absent does not matter to the test. */
export interface MergeRequestRow {
  authorId: number;
  assigneeId?: number | null;
  state?: 'opened' | 'reopened' | 'closed' | 'merged';
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
                                 state, source_branch, target_branch, created_at, updated_at)
     SELECT $1, $1, number, 'Request ' || number, (r->>'authorId')::int, (r->>'assigneeId')::int,
            coalesce(r->>'state', 'opened'), 'topic/' || number, 'master',
            coalesce((r->>'createdAt')::timestamptz, now()),
            coalesce((r->>'updatedAt')::timestamptz, now())
       FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS given (r, number)
     RETURNING id, iid`,
    [id, JSON.stringify(rows)],
  );
  await trellis.rows(`INSERT INTO internal_ids VALUES ($1, 'MergeRequest', $2)`, [id, rows.length]);
  return made.toSorted((a, b) => a.iid - b.iid).map((row) => row.id);
}
