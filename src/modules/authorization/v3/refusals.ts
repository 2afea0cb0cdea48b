import { V3 } from '../../../faces/index.js';
import { provideAnswers, withMessage } from '../../../platform/http/index.js';

/** What the room refuses, in the words of version 3 (docs/reference/errors.md). */
export const authorizationAnswers = provideAnswers(V3, 'authorization', {
  refusals: {
    'sudo-not-permitted': () => withMessage(403, '403 Forbidden - Must be admin to use sudo'),
    'sudo-target-missing': ({ idOrUsername }) =>
      withMessage(404, `404 No user id or username for: ${idOrUsername} Not Found`),
  },
  resources: { group: 'Group', project: 'Project' },
});
