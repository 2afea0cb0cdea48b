import type { Person } from './factories.js';
import { type IssueBody, pathOf } from './issues.js';
import type { Trellis } from './trellis.js';

/** What tests look at of a note's answer. */
export interface NoteBody {
  id: number;
  body: string;
  author: { id: number; username: string };
  created_at: string;
  updated_at: string;
  system: boolean;
  noteable_id: number;
}

export interface AwardBody {
  id: number;
  name: string;
  user: { id: number };
  awardable_id: number;
  awardable_type: string;
}

type Located = Pick<IssueBody, 'id' | 'project_id'>;

export const notesOf = (issue: Located): string => `${pathOf(issue)}/notes`;

export const notePath = (issue: Located, { id }: { id: number }): string =>
  `${notesOf(issue)}/${String(id)}`;

/** Writes a note through the API. */
export async function comment(
  trellis: Trellis,
  person: Person,
  issue: Located,
  body = 'A note',
): Promise<NoteBody> {
  const answer = await trellis.as(person).post(notesOf(issue), { body }).expect(200);
  return answer.body as NoteBody;
}

/** Awards an emoji through the API. @param path of what it is awarded to */
export async function award(
  trellis: Trellis,
  person: Person,
  path: string,
  name: string,
): Promise<AwardBody> {
  const answer = await trellis.as(person).post(`${path}/award_emoji`, { name }).expect(200);
  return answer.body as AwardBody;
}

/** An issue as somebody reads it now. */
export async function readIssue(
  trellis: Trellis,
  person: Person,
  issue: Located,
): Promise<IssueBody & { user_notes_count: number; upvotes: number; downvotes: number }> {
  const { body } = await trellis.as(person).get(pathOf(issue)).expect(200);
  return body as IssueBody & { user_notes_count: number; upvotes: number; downvotes: number };
}

/** Switches a project's issues on or off. */
export async function switchIssues(
  trellis: Trellis,
  { id }: { id: number },
  enabled: boolean,
): Promise<void> {
  await trellis.rows('UPDATE projects SET issues_enabled = $2 WHERE id = $1', [id, enabled]);
}
