import { StringParam } from '../../../../platform/http/index.js';

/** `POST /user/keys`, `POST /users/:id/keys` (specification 4.8). */
export class CreateSshKeyDto {
  @StringParam({ required: true })
  title!: string;

  @StringParam({ required: true, description: "One line in OpenSSH's form." })
  key!: string;
}
