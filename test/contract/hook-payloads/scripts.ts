import type { Receiver, Shape, Types } from './shapes.js';

// Bridges to chats have no types: they read properties and call methods, so what counts is what must be
// there and of which kind. `text` is split, searched or cut, `date` is handed to `Date`, `shown` is printed.

const types: Types = {
  text: { types: ['string'] },
  'text|null': { types: ['string', 'null'] },
  shown: { types: ['string', 'integer'] },
  any: { types: ['string', 'integer', 'null'], optional: true },
  number: { types: ['integer'] },
  date: {
    types: ['string'],
    // The form that ECMAScript demands of `Date`; anything else is each engine's own.
    pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/,
  },
};

const person: Shape = { name: 'text', username: 'shown', avatar_url: 'any' };

/** gitlab-slack (2017), for Node. */
export const GITLAB_SLACK: Receiver = {
  name: 'gitlab-slack',
  types,
  takesNothing: false,
  kinds: {
    push: {
      commits: [{ id: 'text', message: 'text', url: 'shown', author: { email: 'text' } }],
      ref: 'text',
      user_email: 'text',
      project: { path_with_namespace: 'shown', web_url: 'text' },
      total_commits_count: 'number',
    },
    issue: {
      object_attributes: {
        id: 'number',
        iid: 'shown',
        project_id: 'number',
        author_id: 'number',
        milestone_id: 'any',
        action: 'text',
        state: 'text',
        title: 'text',
        url: 'shown',
      },
      labels: [{ title: 'text' }],
      project: { path_with_namespace: 'shown', web_url: 'text' },
      user: person,
    },
    merge_request: {
      object_attributes: {
        action: 'text',
        iid: 'shown',
        title: 'shown',
        url: 'shown',
        source: { web_url: 'text' },
        target: { web_url: 'text' },
        source_branch: 'shown',
        target_branch: 'shown',
      },
      project: { path_with_namespace: 'shown' },
      user: person,
      'assignee?': person,
    },
    build: {
      repository: { name: 'shown', homepage: 'shown' },
      build_id: 'number',
      build_name: 'shown',
      build_status: 'shown',
      user: { name: 'shown' },
    },
    pipeline: {
      commit: { message: 'shown', url: 'shown' },
      object_attributes: { id: 'number', status: 'shown' },
      project: { name: 'shown', web_url: 'shown' },
      user: person,
    },
  },
};

const rocketProject: Shape = { name: 'shown', web_url: 'text', avatar_url: 'any' };

/** The script that Rocket.Chat documents for its incoming hooks, run in its own engine. */
export const ROCKET_CHAT: Receiver = {
  name: 'Rocket.Chat',
  types,
  takesNothing: false,
  kinds: {
    push: {
      project: rocketProject,
      user_name: 'text',
      user_avatar: 'any',
      checkout_sha: 'text|null',
      before: 'text',
      ref: 'text',
      total_commits_count: 'number',
      commits: [
        { timestamp: 'date', id: 'text', url: 'shown', author: { name: 'text' }, message: 'text' },
      ],
    },
    tag_push: {
      project: rocketProject,
      user_name: 'text',
      user_avatar: 'any',
      checkout_sha: 'text|null',
      ref: 'text',
    },
    issue: {
      project: rocketProject,
      user: person,
      object_attributes: {
        state: 'text',
        action: 'text',
        title: 'shown',
        description: 'any',
        url: 'shown',
      },
      'assignee?': person,
    },
    merge_request: {
      user: person,
      object_attributes: {
        action: 'text',
        iid: 'shown',
        title: 'shown',
        url: 'shown',
        source_branch: 'shown',
        target_branch: 'shown',
        target: rocketProject,
        source: rocketProject,
        last_commit: { author: { name: 'text' } },
        'assignee?': person,
      },
    },
    'note on Commit': {
      project: rocketProject,
      user: person,
      object_attributes: { note: 'shown', url: 'shown' },
      commit: { id: 'text', message: 'text', author: { name: 'text' } },
    },
    'note on Issue': {
      project: rocketProject,
      user: person,
      object_attributes: { note: 'shown', url: 'shown' },
      issue: { id: 'number', title: 'shown' },
    },
    'note on MergeRequest': {
      project: rocketProject,
      user: person,
      object_attributes: { note: 'shown', url: 'shown' },
      merge_request: { id: 'number', title: 'shown', last_commit: { author: { name: 'text' } } },
    },
    build: {
      build_name: 'shown',
      build_status: 'text',
      project_name: 'shown',
      repository: { name: 'shown', homepage: 'shown' },
    },
    pipeline: {
      project: rocketProject,
      object_attributes: { status: 'text' },
      commit: { id: 'text', url: 'shown', author: { name: 'shown' } },
    },
  },
};

const mattermostRepository: Shape = { name: 'shown', homepage: 'text' };

const mattermostNote = (others: Shape): Shape => ({
  repository: mattermostRepository,
  user: { username: 'shown' },
  object_attributes: { noteable_type: 'text', note: 'text', url: 'shown', created_at: 'shown' },
  ...others,
});

/** Mattermost's own integration (2016), for Flask. */
export const MATTERMOST: Receiver = {
  name: "Mattermost's integration",
  types,
  takesNothing: false,
  kinds: {
    push: {
      object_kind: 'text',
      user_name: 'shown',
      total_commits_count: 'number',
      ref: 'shown',
      repository: mattermostRepository,
    },
    tag_push: {
      object_kind: 'text',
      user_name: 'shown',
      ref: 'shown',
      repository: mattermostRepository,
    },
    issue: {
      repository: mattermostRepository,
      user: { username: 'shown' },
      object_attributes: {
        action: 'text',
        title: 'shown',
        url: 'shown',
        iid: 'shown',
        created_at: 'shown',
      },
    },
    merge_request: {
      user: { username: 'shown' },
      object_attributes: {
        action: 'text',
        iid: 'shown',
        title: 'shown',
        url: 'shown',
        created_at: 'shown',
        target: { name: 'shown', web_url: 'text' },
      },
    },
    'note on Commit': mattermostNote({ commit: { id: 'shown' } }),
    'note on Issue': mattermostNote({ issue: { iid: 'shown', title: 'shown' } }),
    'note on MergeRequest': mattermostNote({ merge_request: { iid: 'shown', title: 'shown' } }),
  },
};
