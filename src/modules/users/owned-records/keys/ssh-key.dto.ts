import { StringParam } from '../../../../platform/http/index.js';

/** `POST /user/keys`, `POST /users/:id/keys`, `POST /projects/:id/deploy_keys`. */
export class CreateSshKeyDto {
  @StringParam({ required: true })
  title!: string;

  @StringParam({ required: true, description: "One line in OpenSSH's form." })
  key!: string;
}
