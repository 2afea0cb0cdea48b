import type { Person } from './factories.js';

/** How answers of version 4 embed a user. */
export const basicUser = ({ user }: Person, url: string) => ({
  id: user.id,
  username: user.username,
  name: user.name,
  state: 'active',
  locked: false,
  avatar_url: expect.stringContaining('gravatar') as string,
  web_url: `${url}/${user.username}`,
});

export const NO_TIME_STATS = {
  time_estimate: 0,
  total_time_spent: 0,
  human_time_estimate: null,
  human_total_time_spent: null,
};

/** What tests look at of the answer about an issue or merge request. */
export interface NumberedBody {
  id: number;
  iid: number;
  title: string;
  labels: string[];
}
