import type { Trellis } from './trellis.js';

/** An issue as a test wants it to be in the database; what is absent does not matter to the test. */
export interface IssueRow {
  authorId: number;
  assigneeId?: number | null;
  milestoneId?: number | null;
  state?: 'opened' | 'closed';
  confidential?: boolean;
  createdAt?: string;
  updatedAt?: string;
  /** IDs. */
  labels?: readonly number[];
}

/** Adds issues to a project, numbered from 1, by a few statements; answers their IDs in that order. */
export async function addIssues(
  trellis: Trellis,
  { id }: { id: number },
  rows: readonly IssueRow[],
): Promise<number[]> {
  const made = await trellis.rows<{ id: number; iid: number }>(
    `INSERT INTO issues (project_id, iid, title, author_id, assignee_id, milestone_id, state,
                         confidential, created_at, updated_at)
     SELECT $1, number, 'Issue ' || number, (r->>'authorId')::int, (r->>'assigneeId')::int,
            (r->>'milestoneId')::int, coalesce(r->>'state', 'opened'),
            coalesce((r->>'confidential')::boolean, false),
            coalesce((r->>'createdAt')::timestamptz, now()),
            coalesce((r->>'updatedAt')::timestamptz, now())
       FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS given (r, number)
     RETURNING id, iid`,
    [id, JSON.stringify(rows)],
  );
  const ids = made.toSorted((a, b) => a.iid - b.iid).map((row) => row.id);
  const links = rows.flatMap(({ labels = [] }, at) => labels.map((label) => [ids[at], label]));
  await trellis.rows(
    `INSERT INTO label_links (target_type, target_id, label_id, created_at, state, confidential,
                              author_id)
     SELECT 'Issue', i.id, link.label_id, i.created_at, i.state, i.confidential, i.author_id
       FROM unnest($1::int[], $2::int[]) AS link (issue_id, label_id)
       JOIN issues i ON i.id = link.issue_id`,
    [links.map(([issue]) => issue), links.map(([, label]) => label)],
  );
  await trellis.rows(
    `INSERT INTO internal_ids VALUES ($1, 'Issue', $2)
     ON CONFLICT (project_id, kind) DO UPDATE SET last_iid = excluded.last_iid`,
    [id, rows.length],
  );
  return ids;
}

/** @returns the label's ID */
export async function addLabel(
  trellis: Trellis,
  { id }: { id: number },
  name: string,
): Promise<number> {
  const [row] = await trellis.rows<{ id: number }>(
    `INSERT INTO labels (project_id, name, color) VALUES ($1, $2, '#428BCA') RETURNING id`,
    [id, name],
  );
  return row!.id;
}
