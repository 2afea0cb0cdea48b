import { StringParam } from '../../../../platform/http/index.js';

/** `POST /user/emails`, `POST /users/:id/emails` (specification 4.8). */
export class CreateEmailDto {
  @StringParam({ required: true })
  email!: string;
}
