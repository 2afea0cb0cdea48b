import { V3 } from '../../../faces/index.js';
import { provideAnswers, withMessage } from '../../../platform/http/index.js';
import type { MoveObstacle } from '../model/refusals.js';

const MOVE_REFUSED: Readonly<Record<MoveObstacle, string>> = {
  'not-permitted': 'Cannot move issue due to insufficient permissions!',
  'same-project': 'Cannot move issue to project it originates from!',
  'too-large': 'Cannot move issue: its notes are too many or too long!',
};

/** What the room refuses, in the words of version 3 (docs/reference/errors.md). */
export const issuesAnswers = provideAnswers(V3, 'issues', {
  refusals: { 'move-refused': ({ reason }) => withMessage(400, MOVE_REFUSED[reason]) },
  resources: { issue: 'Issue' },
});
