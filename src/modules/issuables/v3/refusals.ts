import { V3 } from '../../../faces/index.js';
import { provideAnswers, withMessage } from '../../../platform/http/index.js';
import type { DraftProblem, SpentTimeProblem } from '../model/refusals.js';

const SPENT_TIME_REFUSED: Readonly<Record<SpentTimeProblem, string>> = {
  'below-zero': 'Time to subtract exceeds the total time spent',
  'too-long': 'Total time spent is too long',
};

const NO_REPLY = '400 Bad request - Discussion can not be replied to';

const THREAD_REFUSED = {
  full: `${NO_REPLY}: it has 200 comments`,
  'of-service': NO_REPLY,
  'too-long': `${NO_REPLY}: its comments are too long`,
} as const;

const DRAFT_REFUSED: Readonly<Record<DraftProblem, string>> = {
  'may-not-resolve': 'User is not allowed to resolve thread',
  'no-thread': 'Thread to reply to cannot be found',
  'too-long': 'Draft notes of a merge request may have 4 MiB of text',
  'too-many': 'A merge request may have 100 draft notes of one author',
};

/** What the room refuses, in the words of version 3 (docs/reference/errors.md). */
export const issuablesAnswers = provideAnswers(V3, 'issuables', {
  refusals: {
    'award-exists': () => withMessage(404, '404 Award Emoji Not Found'),
    'award-of-another': () => withMessage(401, '401 Unauthorized'),
    'label-name-taken': ({ action }) =>
      action === 'create'
        ? withMessage(409, 'Label already exists')
        : withMessage(400, { title: ['has already been taken'] }),
    'spent-time-refused': ({ reason }) => withMessage(400, { base: [SPENT_TIME_REFUSED[reason]] }),
    'not-resolvable': () => withMessage(400, '400 Bad request - Note is not resolvable'),
    'thread-refused': ({ reason }) => withMessage(400, THREAD_REFUSED[reason]),
    'actions-without-effect': () => withMessage(400, '400 Bad request - Failed to apply commands.'),
    'draft-refused': ({ reason }) => withMessage(400, { base: [DRAFT_REFUSED[reason]] }),
    'promotion-refused': () => withMessage(400, 'Failed to promote project label to group label'),
    'note-body-missing': () => withMessage(400, '400 (Bad request) "body" not given'),
  },
  resources: {
    'award-emoji': 'Award Emoji',
    label: 'Label',
    notes: 'Notes',
  },
  rules: {
    'after-due-date': "Can't be greater than due date",
    'not-a-color': 'must be a valid color code',
  },
  fields: { labelName: 'title', noteBody: 'note' },
});
