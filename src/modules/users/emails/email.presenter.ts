import type { Email } from './email.entity.js';
import type { EmailView } from './email.view.js';

export function presentEmail({ id, email }: Email): EmailView {
  return { id, email };
}
