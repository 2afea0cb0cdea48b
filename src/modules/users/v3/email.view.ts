import type { Email } from '../model/user.entity.js';

/** A secondary e-mail address. */
export class EmailView {
  id!: number;
  email!: string;
}

export function presentEmail({ id, email }: Email): EmailView {
  return { id, email };
}
