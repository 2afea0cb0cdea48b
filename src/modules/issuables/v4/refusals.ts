import { V4 } from '../../../faces/index.js';
import { provideOtherAnswers, withError, withMessage } from '../../../platform/http/index.js';

/** What version 4 words otherwise than version 3. */
export const v4IssuablesAnswers = provideOtherAnswers(V4, 'issuables', {
  refusals: {
    'award-exists': () => withMessage(404, '404 Award Emoji Name has already been taken Not Found'),
    'note-body-missing': () => withError(400, 'body is empty'),
  },
});
