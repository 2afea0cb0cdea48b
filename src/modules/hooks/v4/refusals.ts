import { V4 } from '../../../faces/index.js';
import { provideOtherAnswers, withError, withMessage } from '../../../platform/http/index.js';
import type { SampleKind } from '../model/hook.entity.js';

/** What a test delivery needs. */
const NEEDED: Readonly<Record<SampleKind, string>> = {
  push: 'the project has commits',
  tag_push: 'the project has tags',
  issue: 'the project has issues',
  confidential_issue: 'the project has confidential issues',
  note: 'the project has notes',
  confidential_note: 'the project has confidential notes',
  merge_request: 'the project has merge requests',
  build: 'the project has CI jobs',
  pipeline: 'the project has CI pipelines',
  wiki_page: 'the wiki is enabled and has pages',
  release: 'the project has releases',
  emoji: 'the project has notes',
};

/** What version 4 words otherwise than version 3. */
export const v4HooksAnswers = provideOtherAnswers(V4, 'hooks', {
  refusals: {
    'invalid-hook-setting': ({ setting }) =>
      setting === 'branch-filter'
        ? withError(422, 'Invalid branch filter given')
        : setting === 'token'
          ? withMessage(422, { token: ['is invalid'] })
          : withMessage(422, 'Illegal key or value'),
    'invalid-system-hook-url': () => withError(422, 'Invalid url given'),
    'nothing-to-sample': ({ kind }) => withMessage(422, `Ensure ${NEEDED[kind]}.`),
  },
});
