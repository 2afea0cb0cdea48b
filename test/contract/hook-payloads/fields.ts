import type { Shape, Types } from './shapes.js';

/** The formats of the fields that the service itself promises. */
export const OWN_TYPES: Types = {
  string: { types: ['string'] },
  'string|null': { types: ['string', 'null'] },
  integer: { types: ['integer'] },
  'integer|null': { types: ['integer', 'null'] },
  'number|null': { types: ['number', 'null'] },
  boolean: { types: ['boolean'] },
  null: { types: ['null'] },
  oid: { types: ['string'], pattern: /^[0-9a-f]{40}$/ },
  'oid|null': { types: ['string', 'null'], pattern: /^[0-9a-f]{40}$/ },
  'oid|empty': { types: ['string'], pattern: /^(?:[0-9a-f]{40})?$/ },
  url: { types: ['string'], pattern: /^(?:https?|ssh):\/\/|^git@/ },
  'url|null': { types: ['string', 'null'], pattern: /^https?:\/\// },
  time: { types: ['string'], pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
  'time|null': { types: ['string', 'null'], pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
  'commit time': {
    types: ['string'],
    pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-](?:0\d|1[0-8]):[0-5]\d$/,
  },
  'date|null': { types: ['string', 'null'], pattern: /^\d{4}-\d\d-\d\d$/ },
  'flag|null': { types: ['string', 'null'], pattern: /^[01]$/ },
  flag: { types: ['string'], pattern: /^[01]$/ },
  'line code|null': { types: ['string', 'null'], pattern: /^[0-9a-f]{40}_\d+_\d+$/ },
};

const user: Shape = { name: 'string', username: 'string', avatar_url: 'url|null' };

const briefProject: Shape = {
  name: 'string',
  description: 'string|null',
  web_url: 'url',
  avatar_url: 'null',
  git_ssh_url: 'url',
  git_http_url: 'url',
  namespace: 'string',
  visibility_level: 'integer',
  path_with_namespace: 'string',
  default_branch: 'string|null',
};

const project: Shape = {
  ...briefProject,
  homepage: 'url',
  url: 'url',
  ssh_url: 'url',
  http_url: 'url',
};

const repository: Shape = {
  name: 'string',
  url: 'url',
  description: 'string|null',
  homepage: 'url',
};

const pushedRepository: Shape = {
  ...repository,
  git_http_url: 'url',
  git_ssh_url: 'url',
  visibility_level: 'integer',
};

const commit: Shape = {
  id: 'oid',
  message: 'string',
  timestamp: 'commit time',
  url: 'url',
  author: { name: 'string', email: 'string' },
};

const label: Shape = {
  id: 'integer',
  title: 'string',
  color: 'string',
  description: 'string|null',
};

const push: Shape = {
  object_kind: 'string',
  event_name: 'string',
  before: 'oid',
  after: 'oid',
  ref: 'string',
  checkout_sha: 'oid|null',
  message: 'string|null',
  user_id: 'integer',
  user_name: 'string',
  user_email: 'string',
  user_avatar: 'url|null',
  project_id: 'integer',
  project,
  repository: pushedRepository,
  commits: [{ ...commit, added: ['string'], modified: ['string'], removed: ['string'] }],
  total_commits_count: 'integer',
};

const issue: Shape = {
  id: 'integer',
  iid: 'integer',
  title: 'string',
  assignee_id: 'integer|null',
  author_id: 'integer',
  project_id: 'integer',
  created_at: 'time',
  updated_at: 'time',
  position: 'integer',
  branch_name: 'null',
  description: 'string|null',
  milestone_id: 'integer|null',
  state: 'string',
  updated_by_id: 'integer|null',
  confidential: 'boolean',
  deleted_at: 'null',
  due_date: 'date|null',
  moved_to_id: 'integer|null',
  lock_version: 'integer',
};

const mergeRequest: Shape = {
  id: 'integer',
  iid: 'integer',
  target_branch: 'string',
  source_branch: 'string',
  source_project_id: 'integer|null',
  target_project_id: 'integer',
  author_id: 'integer',
  assignee_id: 'integer|null',
  title: 'string',
  description: 'string|null',
  created_at: 'time',
  updated_at: 'time',
  milestone_id: 'integer|null',
  state: 'string',
  merge_status: 'string',
  merge_error: 'null',
  merge_params: { force_remove_source_branch: 'flag|null', 'should_remove_source_branch?': 'flag' },
  merge_when_build_succeeds: 'boolean',
  merge_user_id: 'integer|null',
  merge_commit_sha: 'oid|null',
  position: 'integer',
  locked_at: 'null',
  updated_by_id: 'integer|null',
  deleted_at: 'null',
  lock_version: 'integer',
  source: { nullOr: project },
  target: project,
  last_commit: { nullOr: commit },
  work_in_progress: 'boolean',
  'assignee?': user,
};

const note = (others: Shape): Shape => ({
  object_kind: 'string',
  user,
  project_id: 'integer',
  project,
  repository,
  object_attributes: {
    id: 'integer',
    note: 'string',
    noteable_type: 'string',
    author_id: 'integer',
    created_at: 'time',
    updated_at: 'time',
    project_id: 'integer',
    attachment: 'null',
    line_code: 'line code|null',
    commit_id: 'oid|empty',
    noteable_id: 'integer|null',
    system: 'boolean',
    st_diff: {
      nullOr: {
        diff: 'string',
        new_path: 'string',
        old_path: 'string',
        a_mode: 'string',
        b_mode: 'string',
        new_file: 'boolean',
        renamed_file: 'boolean',
        deleted_file: 'boolean',
      },
    },
    updated_by_id: 'null',
    type: 'string|null',
    url: 'url',
  },
  ...others,
});

const systemTimes: Shape = { event_name: 'string', created_at: 'time', updated_at: 'time' };

const systemProject: Shape = {
  ...systemTimes,
  name: 'string',
  path: 'string',
  path_with_namespace: 'string',
  project_id: 'integer',
  owner_name: 'string',
  owner_email: 'string',
  project_visibility: 'string',
};

const systemMovedProject: Shape = { ...systemProject, old_path_with_namespace: 'string' };

const systemMember: Shape = {
  user_username: 'string',
  user_name: 'string',
  user_email: 'string',
  user_id: 'integer',
};

const systemTeam: Shape = {
  ...systemTimes,
  project_name: 'string',
  project_path: 'string',
  project_path_with_namespace: 'string',
  project_id: 'integer',
  ...systemMember,
  access_level: 'string',
  project_visibility: 'string',
};

const systemUser: Shape = {
  ...systemTimes,
  name: 'string',
  email: 'string',
  user_id: 'integer',
  username: 'string',
};

const systemKey: Shape = { ...systemTimes, key: 'string', id: 'integer', 'username?': 'string' };

const systemGroup: Shape = {
  ...systemTimes,
  name: 'string',
  path: 'string',
  group_id: 'integer',
  owner_name: 'null',
  owner_email: 'null',
};

const systemGroupMember: Shape = {
  ...systemTimes,
  group_name: 'string',
  group_path: 'string',
  group_id: 'integer',
  ...systemMember,
  group_access: 'string',
};

/** Every field of every payload in its order, by kind; of notes by what they are on. */
export const PAYLOAD_FIELDS: Readonly<Record<string, Shape>> = {
  push,
  tag_push: push,
  issue: {
    object_kind: 'string',
    user,
    project,
    repository,
    object_attributes: { ...issue, url: 'url', action: 'string' },
    labels: [label],
    'assignee?': user,
  },
  merge_request: {
    object_kind: 'string',
    user,
    project,
    repository,
    object_attributes: { ...mergeRequest, url: 'url', action: 'string', 'oldrev?': 'oid' },
    labels: [label],
    'assignee?': user,
  },
  'note on Commit': note({ commit }),
  'note on Issue': note({ issue }),
  'note on MergeRequest': note({ merge_request: mergeRequest }),
  build: {
    object_kind: 'string',
    ref: 'string',
    tag: 'boolean',
    before_sha: 'oid',
    sha: 'oid',
    build_id: 'integer',
    build_name: 'string',
    build_stage: 'string',
    build_status: 'string',
    build_started_at: 'time|null',
    build_finished_at: 'time|null',
    build_duration: 'number|null',
    build_allow_failure: 'boolean',
    project_id: 'integer',
    project_name: 'string',
    user: { id: 'integer', name: 'string', email: 'string' },
    commit: {
      id: 'integer',
      sha: 'oid',
      message: 'string|null',
      author_name: 'string|null',
      author_email: 'string|null',
      status: 'string|null',
      duration: 'integer|null',
      started_at: 'time|null',
      finished_at: 'time|null',
    },
    repository: pushedRepository,
  },
  pipeline: {
    object_kind: 'string',
    object_attributes: {
      id: 'integer',
      ref: 'string',
      tag: 'boolean',
      sha: 'oid',
      before_sha: 'oid',
      status: 'string|null',
      stages: ['string'],
      created_at: 'time',
      finished_at: 'time|null',
      duration: 'integer|null',
    },
    user,
    project: briefProject,
    commit: { nullOr: commit },
    builds: [
      {
        id: 'integer',
        stage: 'string',
        name: 'string',
        status: 'string',
        created_at: 'time',
        started_at: 'time|null',
        finished_at: 'time|null',
        when: 'string',
        manual: 'boolean',
        user,
        runner: 'null',
        artifacts_file: { filename: 'null', size: 'null' },
      },
    ],
  },
  project_create: systemProject,
  project_destroy: systemProject,
  project_rename: systemMovedProject,
  project_transfer: systemMovedProject,
  user_add_to_team: systemTeam,
  user_remove_from_team: systemTeam,
  user_create: systemUser,
  user_destroy: systemUser,
  key_create: systemKey,
  key_destroy: systemKey,
  group_create: systemGroup,
  group_destroy: systemGroup,
  user_add_to_group: systemGroupMember,
  user_remove_from_group: systemGroupMember,
  'system push': { ...push, commits: ['never'] },
  'system tag_push': { ...push, commits: ['never'] },
};
