import type { Acceptance, Receiver, Shape } from './shapes.js';

// Classes that Jackson fills: null leaves a field empty, an unknown key is passed over, scalars become
// texts, and a whole number is read from a fraction by cutting it off. Dates have formats of their own.

const scalars: Readonly<Record<string, Acceptance>> = {
  String: { types: ['string', 'boolean', 'integer', 'number', 'null'], optional: true },
  Integer: { types: ['integer', 'null'], optional: true },
  Number: { types: ['integer', 'number', 'null'], optional: true },
  Boolean: { types: ['boolean', 'null'], optional: true },
};

const person: Shape = { name: 'String', username: 'String', avatar_url: 'String' };

const repository: Shape = {
  name: 'String',
  description: 'String',
  url: 'String',
  homepage: 'String',
  git_ssh_url: 'String',
  git_http_url: 'String',
  visibility_level: 'Integer',
};

const project: Shape = {
  name: 'String',
  description: 'String',
  web_url: 'String',
  avatar_url: 'String',
  git_ssh_url: 'String',
  git_http_url: 'String',
  namespace: 'String',
  visibility_level: 'Integer',
  path_with_namespace: 'String',
  default_branch: 'String',
  homepage: 'String',
  url: 'String',
  ssh_url: 'String',
  http_url: 'String',
};

const commit: Shape = {
  id: 'String',
  message: 'String',
  timestamp: 'Date',
  url: 'String',
  author: { name: 'String', email: 'String' },
  added: ['String'],
  modified: ['String'],
  removed: ['String'],
};

const push: Shape = {
  object_kind: 'String',
  before: 'String',
  after: 'String',
  ref: 'String',
  checkout_sha: 'String',
  user_id: 'Integer',
  user_name: 'String',
  user_email: 'String',
  user_avatar: 'String',
  project_id: 'Integer',
  project,
  repository,
  commits: [commit],
  total_commits_count: 'Integer',
};

const mergeRequest: Shape = {
  id: 'Integer',
  iid: 'Integer',
  source_branch: 'String',
  target_branch: 'String',
  source_project_id: 'Integer',
  target_project_id: 'Integer',
  author_id: 'Integer',
  assignee_id: 'Integer',
  milestone_id: 'Integer',
  title: 'String',
  created_at: 'Date',
  updated_at: 'Date',
  locked_at: 'Date',
  position: 'Integer',
  state: 'String',
  description: 'String',
  source: project,
  target: project,
  last_commit: commit,
  merge_status: 'String',
  url: 'String',
  action: 'String',
  work_in_progress: 'Boolean',
  assignee: person,
};

/** Jenkins' GitLab plugin 1.4 (February 2017): three formats, of which none has fraction and offset. */
export const JENKINS: Receiver = {
  name: "Jenkins' GitLab plugin",
  types: {
    ...scalars,
    Date: {
      types: ['string', 'null'],
      pattern:
        /^\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d [+-]\d{4}|T\d\d:\d\d:\d\d(?:(?:\.\d{3})?Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))$/,
      optional: true,
    },
  },
  takesNothing: true,
  kinds: {
    push,
    tag_push: push,
    'system push': push,
    merge_request: {
      object_kind: 'String',
      user: person,
      project,
      repository,
      object_attributes: mergeRequest,
    },
    'note on MergeRequest': {
      object_kind: 'String',
      user: person,
      project,
      repository,
      merge_request: mergeRequest,
      object_attributes: {
        id: 'Integer',
        note: 'String',
        author_id: 'Integer',
        project_id: 'Integer',
        created_at: 'Date',
        updated_at: 'Date',
        url: 'String',
      },
    },
  },
};

const issue: Shape = {
  assignee_id: 'Integer',
  author_id: 'Integer',
  branch_name: 'String',
  created_at: 'Date',
  description: 'String',
  id: 'Integer',
  iid: 'Integer',
  milestone_id: 'String',
  position: 'Integer',
  project_id: 'Integer',
  state: 'String',
  title: 'String',
  updated_at: 'Date',
  url: 'String',
  action: 'String',
};

const note = (others: Shape): Shape => ({
  object_kind: 'String',
  user: person,
  project_id: 'Integer',
  project,
  repository,
  object_attributes: {
    id: 'Integer',
    note: 'String',
    noteable_type: 'String',
    author_id: 'Integer',
    created_at: 'Date',
    updated_at: 'Date',
    project_id: 'Integer',
    attachment: 'String',
    line_code: 'String',
    commit_id: 'String',
    noteable_id: 'Integer',
    system: 'Boolean',
    st_diff: {
      diff: 'String',
      new_path: 'String',
      old_path: 'String',
      a_mode: 'String',
      b_mode: 'String',
      new_file: 'Boolean',
      renamed_file: 'Boolean',
      deleted_file: 'Boolean',
    },
    url: 'String',
  },
  ...others,
});

/** gitlab4j-api 4 (2017), which puts a `Z` and colons in offsets right before it parses. */
export const GITLAB4J: Receiver = {
  name: 'gitlab4j-api',
  types: {
    ...scalars,
    Date: {
      types: ['string', 'null'],
      pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/,
      optional: true,
    },
  },
  takesNothing: true,
  kinds: {
    push: { ...push, event_name: 'String' },
    tag_push: { ...push, event_name: 'String' },
    issue: {
      object_kind: 'String',
      user: person,
      project,
      repository,
      object_attributes: issue,
      assignee: person,
    },
    merge_request: { object_kind: 'String', user: person, object_attributes: mergeRequest },
    'note on Commit': note({ commit }),
    'note on Issue': note({ issue }),
    'note on MergeRequest': note({ merge_request: mergeRequest }),
    build: {
      object_kind: 'String',
      ref: 'String',
      tag: 'Boolean',
      before_sha: 'String',
      sha: 'String',
      build_id: 'Integer',
      build_name: 'String',
      build_stage: 'String',
      build_status: 'String',
      build_started_at: 'Date',
      build_finished_at: 'Date',
      build_duration: 'Number',
      build_allow_failure: 'Boolean',
      project_id: 'Integer',
      project_name: 'String',
      user: { id: 'Integer', name: 'String', email: 'String' },
      commit: {
        id: 'Integer',
        sha: 'String',
        message: 'String',
        author_name: 'String',
        author_email: 'String',
        status: 'String',
        duration: 'Integer',
        started_at: 'Date',
        finished_at: 'Date',
      },
      repository,
    },
    pipeline: {
      object_kind: 'String',
      object_attributes: {
        id: 'Integer',
        ref: 'String',
        tag: 'Boolean',
        sha: 'String',
        before_sha: 'String',
        status: 'String',
        stages: ['String'],
        created_at: 'Date',
        finished_at: 'Date',
        duration: 'Integer',
      },
      user: person,
      project,
      commit,
      builds: [
        {
          id: 'Integer',
          stage: 'String',
          name: 'String',
          status: 'String',
          created_at: 'Date',
          started_at: 'Date',
          finished_at: 'Date',
          when: 'String',
          manual: 'Boolean',
          user: person,
          artifacts_file: { filename: 'String', size: 'Integer' },
        },
      ],
    },
  },
};
