import { V4 } from '../../../faces/index.js';
import { provideOtherAnswers, withMessage } from '../../../platform/http/index.js';
import type { UniqueUserField } from '../model/refusals.js';

const TAKEN: Readonly<Record<UniqueUserField, string>> = {
  email: 'Email has already been taken',
  username: 'Username has already been taken',
};

/** What version 4 words otherwise than version 3. */
export const v4UsersAnswers = provideOtherAnswers(V4, 'users', {
  refusals: { 'account-taken': ({ field }) => withMessage(409, TAKEN[field]) },
  fields: { messenger: 'skype', professionalProfile: 'linkedin', microblog: 'twitter' },
});
