import { V3 } from '../../../faces/index.js';
import { provideAnswers, withError, withMessage } from '../../../platform/http/index.js';
import { storageLimitText } from '../quota/storage-limit-text.js';

/** What the room refuses, in the words of version 3 (docs/reference/errors.md). */
export const storageAnswers = provideAnswers(V3, 'storage', {
  refusals: {
    'storage-limit': ({ sizes }) => withMessage(413, storageLimitText(sizes)),
    'upload-missing': () => withError(404, '404 Not Found'),
  },
});
