import { V4 } from '../../../faces/index.js';
import { provideOtherAnswers, withMessage } from '../../../platform/http/index.js';
import type { SampleKind } from '../payloads/hook-payloads.js';

/** What a project needs for a test delivery. */
const NEEDED: Readonly<Record<SampleKind, string>> = {
  push: 'commits',
  tag_push: 'tags',
  issue: 'issues',
  note: 'notes',
  merge_request: 'merge requests',
  build: 'CI jobs',
  pipeline: 'CI pipelines',
};

/** What version 4 words otherwise than version 3. */
export const v4HooksAnswers = provideOtherAnswers(V4, 'hooks', {
  refusals: {
    'nothing-to-sample': ({ kind }) => withMessage(422, `Ensure the project has ${NEEDED[kind]}.`),
  },
});
