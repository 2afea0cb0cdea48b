import type { SampleEventView } from './sample-event.view.js';

/** What a hook of the instance is tried with: the making of a project that does not exist. */
export const SAMPLE_EVENT: SampleEventView = {
  event_name: 'project_create',
  created_at: '2017-01-01T00:00:00.000Z',
  updated_at: '2017-01-01T00:00:00.000Z',
  name: 'Sample',
  path: 'sample',
  path_with_namespace: 'someone/sample',
  project_id: 1,
  owner_name: 'Someone',
  owner_email: 'someone@example.com',
  project_visibility: 'private',
};
