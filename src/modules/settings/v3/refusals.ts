import { V3 } from '../../../faces/index.js';
import { provideAnswers } from '../../../platform/http/index.js';

/** What the room refuses, in the words of version 3 (docs/reference/errors.md). */
export const settingsAnswers = provideAnswers(V3, 'settings', {
  rules: {
    'empty-blacklist': 'Domain blacklist cannot be empty if Blacklist is enabled.',
    'not-a-visibility': ({ value }) => `'${String(value)}' is not a valid visibility level`,
    'not-included': 'is not included in the list',
    'restricted-visibility': ({ value }) =>
      `${String(value)} has been restricted by your administrator`,
    'unknown-storages': ({ value }) => `can't include: ${String(value)}`,
  },
});
