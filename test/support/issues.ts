import type { MadeProject, Person } from './factories.js';
import type { Trellis } from './trellis.js';

export const TIMESTAMP = expect.stringMatching(
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
) as string;

/** What tests look at of an issue's answer. */
export interface IssueBody {
  id: number;
  iid: number;
  project_id: number;
  title: string;
  description: string | null;
  state: string;
  created_at: string;
  updated_at: string;
  labels: string[];
  milestone: { id: number; title: string } | null;
  assignee: { id: number } | null;
  author: { id: number };
  subscribed: boolean;
  due_date: string | null;
  confidential: boolean;
}

export const issuesOf = ({ id }: { id: number }): string => `/projects/${String(id)}/issues`;

export const pathOf = ({ id, project_id }: Pick<IssueBody, 'id' | 'project_id'>): string =>
  `/projects/${String(project_id)}/issues/${String(id)}`;

/** Makes an issue through the API; the title is `An issue` unless said otherwise. */
export async function openIssue(
  trellis: Trellis,
  person: Person,
  project: MadeProject,
  body: object = {},
): Promise<IssueBody> {
  const input = { title: 'An issue', ...body };
  const answer = await trellis.as(person).post(issuesOf(project), input).expect(200);
  return answer.body as IssueBody;
}

export async function makeMilestone(
  trellis: Trellis,
  { id }: { id: number },
  title: string,
): Promise<number> {
  const [row] = await trellis.rows<{ id: number }>(
    `INSERT INTO milestones (project_id, iid, title)
     SELECT $1, coalesce(max(iid), 0) + 1, $2 FROM milestones WHERE project_id = $1 RETURNING id`,
    [id, title],
  );
  return row!.id;
}

/** What the notes of an issue say that the service wrote, the oldest first. */
export async function systemNotes(trellis: Trellis, { id }: { id: number }): Promise<string[]> {
  const rows = await trellis.rows<{ body: string }>(
    `SELECT body FROM notes WHERE noteable_type = 'Issue' AND noteable_id = $1 AND system ORDER BY id`,
    [id],
  );
  return rows.map(({ body }) => body);
}

/** The events on issues of a project, the oldest first. */
export function issueEvents(trellis: Trellis, { id }: { id: number }) {
  return trellis.rows<{ author_id: number; action: string; target_id: number }>(
    `SELECT author_id, action, target_id FROM events
      WHERE project_id = $1 AND target_type = 'Issue' ORDER BY id`,
    [id],
  );
}

/** Todos for an issue, the oldest first. */
export function todosFor(trellis: Trellis, { id }: { id: number }) {
  return trellis.rows<{ user_id: number; action: string; state: string; author_id: number }>(
    `SELECT user_id, action, state, author_id FROM todos
      WHERE target_type = 'Issue' AND target_id = $1 ORDER BY id`,
    [id],
  );
}

/** What `open_issues_count` says to somebody. */
export async function openCount(
  trellis: Trellis,
  person: Person,
  { id }: { id: number },
): Promise<number> {
  const { body } = await trellis
    .as(person)
    .get(`/projects/${String(id)}`)
    .expect(200);
  return (body as { open_issues_count: number }).open_issues_count;
}

/** Whether the counts of a project's issues agree with its issues. */
export async function expectRightCounts(trellis: Trellis, { id }: { id: number }): Promise<void> {
  const [counted] = await trellis.rows(
    `SELECT coalesce(sum(opened), 0)::int AS opened,
            coalesce(sum(opened_confidential), 0)::int AS confidential,
            coalesce(sum(closed), 0)::int AS closed,
            coalesce(sum(closed_confidential), 0)::int AS "closedConfidential"
       FROM issue_counts WHERE project_id = $1`,
    [id],
  );
  const [real] = await trellis.rows(
    `SELECT (count(*) FILTER (WHERE state = 'opened'))::int AS opened,
            (count(*) FILTER (WHERE state = 'opened' AND confidential))::int AS confidential,
            (count(*) FILTER (WHERE state = 'closed'))::int AS closed,
            (count(*) FILTER (WHERE state = 'closed' AND confidential))::int AS "closedConfidential"
       FROM issues WHERE project_id = $1 AND deleted_at IS NULL`,
    [id],
  );
  expect(counted).toEqual(real);
}
