import { V3 } from '../../../faces/index.js';
import { provideAnswers, withError, withMessage } from '../../../platform/http/index.js';
import type { SampleKind } from '../payloads/hook-payloads.js';

/** What a project needs for a test delivery. */
const NEEDED: Readonly<Record<SampleKind, string>> = {
  push: 'commits',
  tag_push: 'tags',
  issue: 'issues that are not confidential',
  note: 'notes',
  merge_request: 'merge requests',
  build: 'commit statuses',
  pipeline: 'commit statuses',
};

/** What the room refuses, in the words of version 3 (docs/reference/errors.md). */
export const hooksAnswers = provideAnswers(V3, 'hooks', {
  refusals: {
    'invalid-hook-url': () => withError(422, 'Invalid url given'),
    'nothing-to-sample': ({ kind }) =>
      withError(422, `The project has no ${NEEDED[kind]} to test the hook with`),
    'too-many-hooks': ({ limit }) =>
      withMessage(400, `Maximum number of project hooks (${String(limit)}) exceeded`),
  },
  resources: { 'system-hook': 'System hook' },
});
