import { BooleanParam, StringParam } from '../../../platform/http/index.js';
import type { CreateUserInput } from '../user-input.js';
import { toProfileInput, UserProfileDto } from './user-profile.dto.js';

/** `POST /users` (specification 4.8). */
export class CreateUserDto extends UserProfileDto {
  @StringParam({ required: true })
  email!: string;

  @StringParam({ required: true })
  password!: string;

  @StringParam({ required: true })
  username!: string;

  @StringParam({ required: true })
  name!: string;

  @BooleanParam({ default: true, description: 'Accounts are confirmed at once, whatever it says.' })
  confirm?: boolean;
}

export function toCreateUserInput(body: CreateUserDto): CreateUserInput {
  const { email, password, username, name } = body;
  return { email, password, username, name, ...toProfileInput(body) };
}
