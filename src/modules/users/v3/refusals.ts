import { V3 } from '../../../faces/index.js';
import { provideAnswers, withMessage } from '../../../platform/http/index.js';
import type { UniqueUserField } from '../model/refusals.js';

const TAKEN: Readonly<Record<UniqueUserField, string>> = {
  email: 'Email has already been taken',
  username: 'Username has already been taken',
};

/** What the room refuses, in the words of version 3 (docs/reference/errors.md). */
export const usersAnswers = provideAnswers(V3, 'users', {
  refusals: {
    // See docs/reference/users.md#put-usersid.
    'account-taken': ({ field, action }) =>
      withMessage(action === 'create' ? 409 : 404, TAKEN[field]),
    'directory-blocked': ({ action }) => {
      const change = action === 'block' ? 'modified' : 'unblocked';
      return withMessage(403, `403 Forbidden - LDAP blocked users cannot be ${change} by the API`);
    },
    'last-administrator': () => withMessage(403, '403 Forbidden'),
  },
  resources: { email: 'Email', key: 'Key', user: 'User' },
  rules: {
    'domain-not-allowed': 'is not from an allowed domain.',
    'domain-not-authorized': 'domain is not authorized for sign-up',
    'last-administrator': 'cannot be removed from the last administrator',
    'not-a-key': 'cannot be generated',
    'several-lines': 'should be a single line',
    'username-form':
      "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.",
  },
});
