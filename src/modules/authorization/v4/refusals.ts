import { V4 } from '../../../faces/index.js';
import { provideOtherAnswers, withMessage } from '../../../platform/http/index.js';

/** What version 4 words otherwise than version 3. */
export const v4AuthorizationAnswers = provideOtherAnswers(V4, 'authorization', {
  refusals: {
    'sudo-target-missing': ({ idOrUsername }) =>
      withMessage(404, `404 User with ID or username '${idOrUsername}' Not Found`),
  },
});
