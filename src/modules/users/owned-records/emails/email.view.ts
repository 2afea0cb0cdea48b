import type { Email } from './email.entity.js';

/** A secondary e-mail address. */
export class EmailView {
  id!: number;
  email!: string;
}

export function presentEmail({ id, email }: Email): EmailView {
  return { id, email };
}
