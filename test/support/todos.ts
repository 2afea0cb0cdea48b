import type { Person } from './factories.js';
import type { IssueBody } from './issues.js';
import type { Trellis } from './trellis.js';

/** What tests look at of a todo's answer. */
export interface TodoBody {
  id: number;
  action_name: string;
  target_type: string;
  target: IssueBody;
  target_url: string;
  body: string;
  state: string;
  author: { id: number };
  project: { id: number };
  created_at: string;
}

/** What waits for somebody, the newest first. */
export async function todosOf(trellis: Trellis, person: Person, query = ''): Promise<TodoBody[]> {
  const { body } = await trellis.as(person).get(`/todos${query}`).expect(200);
  return body as TodoBody[];
}

/** For what somebody has a todo, and why, the newest first. */
export async function reasonsOf(
  trellis: Trellis,
  person: Person,
  query = '',
): Promise<[string, number][]> {
  const todos = await todosOf(trellis, person, query);
  return todos.map(({ action_name, target }) => [action_name, target.id]);
}

/** Makes somebody's list empty. */
export async function finishAll(trellis: Trellis, person: Person): Promise<void> {
  await trellis.as(person).delete('/todos').expect(200);
}
