import { StringParam } from '../../../../platform/http/index.js';

/** `POST /user/emails`, `POST /users/:id/emails`. */
export class CreateEmailDto {
  @StringParam({ required: true })
  email!: string;
}
