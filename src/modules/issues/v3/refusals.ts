import { V3 } from '../../../faces/index.js';
import { type ErrorAnswer, provideAnswers, withMessage } from '../../../platform/http/index.js';
import type { LinkObstacle, MoveObstacle } from '../model/refusals.js';

const MOVE_REFUSED: Readonly<Record<MoveObstacle, string>> = {
  'not-permitted': 'Cannot move issue due to insufficient permissions!',
  'same-project': 'Cannot move issue to project it originates from!',
  'too-large': 'Cannot move issue: its notes are too many or too long!',
};

const LINK_REFUSED: Readonly<Record<LinkObstacle, ErrorAnswer>> = {
  exists: withMessage(409, 'Issue(s) already assigned'),
  'not-permitted': withMessage(
    403,
    "Couldn't link issue. You must have at least the Reporter role in both projects.",
  ),
  'same-issue': withMessage(400, 'Cannot link an issue to itself'),
  'too-many': withMessage(400, 'An issue cannot have more than 100 links'),
};

/** What the room refuses, in the words of version 3 (docs/reference/errors.md). */
export const issuesAnswers = provideAnswers(V3, 'issues', {
  refusals: {
    'move-refused': ({ reason }) => withMessage(400, MOVE_REFUSED[reason]),
    'link-refused': ({ reason }) => LINK_REFUSED[reason],
    'link-not-found': () => withMessage(404, 'No Issue Link found'),
  },
  resources: { issue: 'Issue' },
});
