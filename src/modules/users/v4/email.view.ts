import type { Address } from '../owned-records/emails/emails.repository.js';

/** An e-mail address of an account. */
export class V4EmailView {
  /** 0 for the primary address, which has no record of its own. */
  id!: number;
  email!: string;
  /** Secondary addresses are confirmed when they are added. */
  confirmed_at!: Date | null;
}

export const presentV4Email = ({ id, email, confirmedAt }: Address): V4EmailView => ({
  id,
  email,
  confirmed_at: confirmedAt,
});
