import { AtLeastOneOf, StringParam } from '../../../platform/http/index.js';
import type { UpdateUserInput } from '../user-input.js';
import { toProfileInput, UserProfileDto } from './user-profile.dto.js';

/** `PUT /users/:id` (specification 4.8). */
@AtLeastOneOf(
  'email',
  'username',
  'name',
  'password',
  'messenger',
  'professional_profile',
  'microblog',
  'website_url',
  'organization',
  'projects_limit',
  'extern_uid',
  'provider',
  'bio',
  'location',
  'admin',
  'can_create_group',
  'external',
)
export class UpdateUserDto extends UserProfileDto {
  @StringParam()
  email?: string;

  @StringParam()
  username?: string;

  @StringParam()
  name?: string;

  @StringParam()
  password?: string;
}

export function toUpdateUserInput(body: UpdateUserDto): UpdateUserInput {
  const { email, username, name, password } = body;
  return { email, username, name, password, ...toProfileInput(body) };
}
