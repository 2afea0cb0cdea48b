import { V3 } from '../../../faces/index.js';
import { provideAnswers, withError, withMessage } from '../../../platform/http/index.js';
import type { SampleKind } from '../model/hook.entity.js';
import type { HookSetting } from '../model/refusals.js';

/** What a project needs for a test delivery. */
const NEEDED: Readonly<Record<SampleKind, string>> = {
  push: 'commits',
  tag_push: 'tags',
  issue: 'issues that are not confidential',
  confidential_issue: 'confidential issues',
  note: 'notes',
  confidential_note: 'notes on confidential issues',
  merge_request: 'merge requests',
  build: 'commit statuses',
  pipeline: 'commit statuses',
  wiki_page: 'wiki pages',
  release: 'releases',
  emoji: 'notes',
};

const SETTINGS: Readonly<Record<HookSetting, string>> = {
  'branch-filter': 'Invalid branch filter given',
  'custom-headers': 'Invalid custom headers given',
  token: 'Invalid token given',
};

/** What the room refuses, in the words of version 3 (docs/reference/errors.md). */
export const hooksAnswers = provideAnswers(V3, 'hooks', {
  refusals: {
    'delivery-failed': ({ answer }) => withMessage(422, answer),
    'invalid-hook-setting': ({ setting }) => withError(422, SETTINGS[setting]),
    'invalid-hook-url': () => withError(422, 'Invalid url given'),
    'invalid-system-hook-url': () => withMessage(400, { url: ['must be a valid URL'] }),
    'nothing-to-sample': ({ kind }) =>
      withError(422, `The project has no ${NEEDED[kind]} to test the hook with`),
    'too-many-hooks': ({ limit }) =>
      withMessage(400, `Maximum number of project hooks (${String(limit)}) exceeded`),
  },
  resources: { 'system-hook': 'System hook' },
});
