import { V3 } from '../../../faces/index.js';
import { provideAnswers, withMessage } from '../../../platform/http/index.js';

/** What the room refuses; version 3, in which nothing leads there, has the words of version 4. */
export const releasesAnswers = provideAnswers(V3, 'releases', {
  refusals: {
    'milestones-missing': ({ named }) =>
      withMessage(400, `Milestone(s) not found: ${named.join(', ')}`),
  },
  rules: {
    'not-an-asset-address': 'is blocked: Only allowed schemes are http, https, ftp',
  },
});
