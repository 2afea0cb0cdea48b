import type { MadeProject, Person } from './factories.js';
import type { Trellis } from './trellis.js';

/**
 * A project as lists without permissions and answers that embed it show it: without what only its own
 * page tells. The person has to be one of its masters.
 */
export async function listForm(
  trellis: Trellis,
  person: Person,
  { id }: MadeProject,
): Promise<unknown> {
  const { body } = await trellis
    .as(person)
    .get(`/projects/${String(id)}`)
    .expect(200);
  const { permissions, runners_token, ...rest } = body as Record<string, unknown>;
  expect([typeof permissions, typeof runners_token]).toEqual(['object', 'string']);
  return rest;
}
