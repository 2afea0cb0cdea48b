import { V3 } from '../../../faces/index.js';
import { provideAnswers, withMessage } from '../../../platform/http/index.js';
import type { ShareProblem } from '../refusals.js';

const SHARE_REFUSED: Readonly<Record<ShareProblem, [status: number, text: string]>> = {
  exists: [409, 'Group already shared with this group'],
  locked: [400, 'The project sharing with group is disabled'],
  'own-group': [409, 'Project cannot be shared with the project it is in.'],
};

/** What the room refuses, in the words of version 3 (docs/reference/errors.md). */
export const membershipsAnswers = provideAnswers(V3, 'memberships', {
  refusals: {
    'member-exists': () => withMessage(409, 'Member already exists'),
    'member-missing': ({ userId }) =>
      withMessage(404, `404 Member: user_id:${String(userId)} Not Found`),
    'share-refused': ({ reason }) => withMessage(...SHARE_REFUSED[reason]),
    'too-many-shares': ({ limit }) =>
      withMessage(400, `Maximum number of group links (${String(limit)}) exceeded`),
    'unknown-access-level': () => withMessage(422, 'Access level is not known'),
  },
  resources: { 'group-link': 'Group Link' },
});
