import { V3 } from '../../../faces/index.js';
import { provideAnswers } from '../../../platform/http/index.js';

/** What the room refuses, in the words of version 3 (docs/reference/errors.md). */
export const groupsAnswers = provideAnswers(V3, 'groups', {
  fields: { visibility: 'visibility_level' },
  resources: { namespace: 'Namespace' },
  rules: {
    'below-projects': ({ value }) =>
      `${String(value)} is not allowed since there are projects with higher visibility.`,
    'group-name-form': "can contain only letters, digits, '_', '.', dash and space.",
    'group-path-form':
      "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.",
  },
});
