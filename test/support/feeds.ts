import type { Person } from './factories.js';
import type { Trellis } from './trellis.js';

/** What tests look at of an event's answer. */
export interface EventBody {
  project_id: number;
  action_name: string;
  target_id: number | null;
  target_type: string | null;
  target_title: string | null;
  created_at: string;
  author: { id: number; username: string };
  note?: { id: number; body: string; author: { username: string } };
}

export const feedOf = ({ id }: { id: number }): string => `/projects/${String(id)}/events`;

export const feedBy = ({ user }: Person): string => `/users/${String(user.id)}/events`;

/** A whole feed as somebody gets it, null for nobody; its total has to fit. */
export async function readFeed(
  trellis: Trellis,
  reader: Person | null,
  path: string,
): Promise<EventBody[]> {
  const client = reader === null ? trellis.anonymous : trellis.as(reader);
  const { body, headers } = await client.get(`${path}?per_page=100`).expect(200);
  const events = body as EventBody[];
  expect((headers as Record<string, string>)['x-total']).toBe(String(events.length));
  return events;
}
