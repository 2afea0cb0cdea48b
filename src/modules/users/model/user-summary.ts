import type { User } from './user.entity.js';

/** The columns of a user that other objects embed. */
export const SUMMARY_COLUMNS = [
  'id',
  'name',
  'username',
  'state',
  'email',
  'ghost',
  'avatarServiceEnabled',
] as const satisfies readonly (keyof User)[];

export type SummarizedUser = Pick<User, (typeof SUMMARY_COLUMNS)[number]>;
