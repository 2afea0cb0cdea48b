import { AtLeastOneOf, StringParam } from '../../../platform/http/index.js';

/** `POST /session`. */
@AtLeastOneOf('login', 'email')
export class CreateSessionDto {
  @StringParam({ blank: 'absent', description: 'User name, or primary e-mail.' })
  login?: string;

  @StringParam({ blank: 'absent', description: 'Primary e-mail; wins over `login`.' })
  email?: string;

  @StringParam({ required: true })
  password!: string;
}
