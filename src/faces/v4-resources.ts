/**
 * What is answered for a resource of GitLab's version 4: `served` and `derived` have routes of their rooms, `empty-list` and
 * `empty-object` those of this room, `absent` is 404.
 */
type ResourceAnswer = 'served' | 'derived' | 'empty-list' | 'empty-object' | 'absent';

interface GitlabResource {
  /** As GitLab's documents call it. */
  readonly name: string;
  readonly answer: ResourceAnswer;
  /** GitLab's paths below the prefix of the version; not all of a resource with many. */
  readonly paths: readonly string[];
  /** Why it is not served, or what is not. */
  readonly why: string;
}

const ISSUE = 'projects/:id/issues/:issue_iid';
const MERGE_REQUEST = 'projects/:id/merge_requests/:merge_request_iid';
const COMMIT = 'projects/:id/repository/commits/:sha';

const NO_CI = 'there are no builds; pipelines are derived from statuses';
const NO_DEPLOYMENTS = 'there are no deployments';
const NO_PACKAGES = 'there are no packages';
const NO_PLANNING = 'milestones and labels are what there is for planning';
const NOT_FOR_GROUPS = 'groups have members, labels, milestones and projects alone';
const BY_ARGUMENT = 'operators configure an instance by its environment and `trellis`';
const NOT_YET = 'not yet';

const served = (name: string, paths: readonly string[], why = ''): GitlabResource => ({
  name,
  answer: 'served',
  paths,
  why,
});

const derived = (name: string, paths: readonly string[], why: string): GitlabResource => ({
  name,
  answer: 'derived',
  paths,
  why,
});

const emptyList = (name: string, paths: readonly string[], why: string): GitlabResource => ({
  name,
  answer: 'empty-list',
  paths,
  why,
});

const emptyObject = (name: string, paths: readonly string[], why: string): GitlabResource => ({
  name,
  answer: 'empty-object',
  paths,
  why,
});

const absent = (name: string, paths: readonly string[], why: string): GitlabResource => ({
  name,
  answer: 'absent',
  paths,
  why,
});

/** The resources of GitLab's version 4, and how each is answered (docs/reference/v4-resources.md#resources). */
export const RESOURCES: readonly GitlabResource[] = [
  emptyList(
    'Access requests',
    ['projects/:id/access_requests', 'groups/:id/access_requests'],
    'owners add members; nothing is requested',
  ),
  absent('Access tokens of groups', ['groups/:id/access_tokens'], NOT_YET),
  absent('Access tokens of projects', ['projects/:id/access_tokens'], NOT_YET),
  absent('Agents', ['projects/:id/cluster_agents'], NO_DEPLOYMENTS),
  absent('Alert management', ['projects/:id/alert_management_alerts/1/metric_images'], NO_PLANNING),
  absent('Appearance', ['application/appearance'], BY_ARGUMENT),
  absent('Applications', ['applications'], NOT_YET),
  emptyList(
    'Approval rules',
    ['projects/:id/approval_rules', `${MERGE_REQUEST}/approval_rules`],
    'no approval is required',
  ),
  served(
    'Approvals',
    [
      'projects/:id/approvals',
      `${MERGE_REQUEST}/approvals`,
      `${MERGE_REQUEST}/approval_state`,
      `${MERGE_REQUEST}/approve`,
      `${MERGE_REQUEST}/unapprove`,
    ],
    'rules are none; there are no bots that could reset them',
  ),
  served('Avatar', ['avatar']),
  served('Award emoji', [`${ISSUE}/award_emoji`, `${MERGE_REQUEST}/award_emoji`]),
  emptyList('Badges', ['projects/:id/badges', 'groups/:id/badges'], 'pages show no badges'),
  emptyList('Boards', ['projects/:id/boards', 'groups/:id/boards'], NO_PLANNING),
  served('Branches', [
    'projects/:id/repository/branches',
    'projects/:id/repository/merged_branches',
  ]),
  absent('Broadcast messages', ['broadcast_messages'], BY_ARGUMENT),
  absent('Bulk imports', ['bulk_imports'], '`trellis import` brings projects from servers'),
  served(
    'Changelog',
    ['projects/:id/repository/changelog'],
    "in GitLab's default form; no configuration file is read",
  ),
  absent('CI lint', ['projects/:id/ci/lint'], NO_CI),
  served('Commit statuses', [`${COMMIT}/statuses`, 'projects/:id/statuses/:sha']),
  served('Commits', [
    'projects/:id/repository/commits',
    `${COMMIT}/comments`,
    `${COMMIT}/diff`,
    `${COMMIT}/merge_requests`,
    `${COMMIT}/refs`,
    `${COMMIT}/sequence`,
    `${COMMIT}/signature`,
    `${COMMIT}/cherry_pick`,
    `${COMMIT}/revert`,
  ]),
  emptyList(
    'Container registry',
    ['projects/:id/registry/repositories', 'groups/:id/registry/repositories'],
    NO_PACKAGES,
  ),
  emptyList(
    'Custom attributes',
    [
      'projects/:id/custom_attributes',
      'groups/:id/custom_attributes',
      'users/:id/custom_attributes',
    ],
    'nothing has further attributes',
  ),
  absent('Dependency proxy', ['groups/:id/dependency_proxy/cache'], NO_PACKAGES),
  served(
    'Deploy keys',
    ['projects/:id/deploy_keys', 'deploy_keys'],
    'without expiry; those of the instance are listed',
  ),
  absent('Deploy tokens', ['projects/:id/deploy_tokens', 'deploy_tokens'], NOT_YET),
  emptyList('Deployments', ['projects/:id/deployments'], NO_DEPLOYMENTS),
  served(
    'Discussions',
    [`${ISSUE}/discussions`, `${MERGE_REQUEST}/discussions`, `${COMMIT}/discussions`],
    'those of commits have one note',
  ),
  served('Draft notes', [`${MERGE_REQUEST}/draft_notes`]),
  served('E-mail addresses', ['user/emails', 'users/:id/emails']),
  emptyList('Environments', ['projects/:id/environments'], NO_DEPLOYMENTS),
  emptyList('Epics', ['groups/:id/epics'], NO_PLANNING),
  absent('Error tracking', ['projects/:id/error_tracking/settings'], NO_DEPLOYMENTS),
  served('Events', ['events', 'users/:id/events', 'projects/:id/events']),
  absent('Feature flags', ['projects/:id/feature_flags', 'features'], NO_DEPLOYMENTS),
  served('Forks', ['projects/:id/fork', 'projects/:id/forks']),
  absent('Freeze periods', ['projects/:id/freeze_periods'], NO_DEPLOYMENTS),
  absent('Geo', ['geo_nodes', 'geo_sites'], BY_ARGUMENT),
  emptyList('GPG keys', ['user/gpg_keys', 'users/:id/gpg_keys'], 'signatures are not verified'),
  absent('Group hooks', ['groups/:id/hooks'], NOT_FOR_GROUPS),
  absent('Group import and export', ['groups/:id/export'], '`trellis import` brings projects'),
  served('Group labels', ['groups/:id/labels']),
  served('Group milestones', ['groups/:id/milestones']),
  absent('Group releases', ['groups/:id/releases'], NOT_FOR_GROUPS),
  emptyList(
    'Group shares',
    ['groups/:id/groups/shared', 'groups/:id/invited_groups'],
    'groups are not shared with groups',
  ),
  absent('Group wikis', ['groups/:id/wikis'], NOT_FOR_GROUPS),
  served('Groups', ['groups', 'groups/:id', 'groups/:id/projects']),
  absent('Impersonation tokens', ['users/:id/impersonation_tokens'], NOT_YET),
  absent(
    'Import and export of projects',
    ['projects/:id/export'],
    '`trellis import` brings projects',
  ),
  absent('Instance variables', ['admin/ci/variables'], BY_ARGUMENT),
  emptyList(
    'Integrations',
    ['projects/:id/integrations', 'projects/:id/services', 'groups/:id/integrations'],
    'hooks are what there is for other services',
  ),
  emptyList(
    'Invitations',
    ['projects/:id/invitations', 'groups/:id/invitations'],
    'there is no mail: members are added by user',
  ),
  served('Issue links', [`${ISSUE}/links`], '`relates_to` alone'),
  served('Issues', [
    'issues',
    'groups/:id/issues',
    'projects/:id/issues',
    `${ISSUE}/closed_by`,
    `${ISSUE}/related_merge_requests`,
  ]),
  served('Issues statistics', [
    'issues_statistics',
    'groups/:id/issues_statistics',
    'projects/:id/issues_statistics',
  ]),
  emptyList('Iterations', ['projects/:id/iterations', 'groups/:id/iterations'], NO_PLANNING),
  absent('Job artifacts', ['projects/:id/jobs/1/artifacts'], NO_CI),
  absent('Job token scope', ['projects/:id/job_token_scope'], NO_CI),
  absent('Jobs', ['projects/:id/jobs'], 'those of a pipeline are listed below it'),
  served('Keys', ['keys'], 'by ID and fingerprint'),
  served('Labels', ['projects/:id/labels']),
  served('Languages', ['projects/:id/languages'], 'by the names of files'),
  absent('License', ['license', 'licenses'], 'there is one edition, without a license key'),
  served('Markdown', ['markdown']),
  served('Members', [
    'projects/:id/members',
    'groups/:id/members',
    'projects/:id/members/all',
    'users/:id/memberships',
  ]),
  served('Merge requests', [
    'merge_requests',
    'groups/:id/merge_requests',
    'projects/:id/merge_requests',
    `${MERGE_REQUEST}/raw_diffs`,
    `${MERGE_REQUEST}/reviewers`,
  ]),
  served('Metadata', ['metadata', 'version']),
  served('Milestones', ['projects/:id/milestones']),
  served('Namespaces', ['namespaces']),
  served('Notes', [`${ISSUE}/notes`, `${MERGE_REQUEST}/notes`]),
  emptyObject(
    'Notification settings',
    [
      'notification_settings',
      'projects/:id/notification_settings',
      'groups/:id/notification_settings',
    ],
    'there is no mail',
  ),
  absent('Packages', ['projects/:id/packages', 'groups/:id/packages'], NO_PACKAGES),
  absent('Pages', ['projects/:id/pages', 'pages/domains'], NO_DEPLOYMENTS),
  absent('Personal access tokens', ['personal_access_tokens'], NOT_YET),
  absent('Pipeline schedules', ['projects/:id/pipeline_schedules'], NO_CI),
  absent('Pipeline triggers', ['projects/:id/triggers'], NO_CI),
  derived(
    'Pipelines',
    ['projects/:id/pipelines', `${MERGE_REQUEST}/pipelines`],
    'from the statuses of a commit on one ref; only read',
  ),
  absent('Plan limits', ['application/plan_limits'], BY_ARGUMENT),
  served('Project hooks', ['projects/:id/hooks']),
  served('Projects', [
    'projects',
    'projects/:id',
    'users/:id/projects',
    'projects/:id/archive',
    'projects/:id/unarchive',
    'projects/:id/transfer',
    'projects/:id/transfer_locations',
    'projects/:id/users',
  ]),
  absent('Protected branches', ['projects/:id/protected_branches'], NOT_YET),
  absent('Protected environments', ['projects/:id/protected_environments'], NO_DEPLOYMENTS),
  absent('Protected tags', ['projects/:id/protected_tags'], NOT_YET),
  absent('Push rules', ['projects/:id/push_rule'], 'protected branches are what there is'),
  served('Release links', ['projects/:id/releases/:tag_name/assets/links']),
  served('Releases', ['projects/:id/releases'], 'no evidence is collected'),
  emptyList('Remote mirrors', ['projects/:id/remote_mirrors'], 'nothing is mirrored'),
  served('Repositories', [
    'projects/:id/repository/tree',
    'projects/:id/repository/compare',
    'projects/:id/repository/contributors',
    'projects/:id/repository/merge_base',
    'projects/:id/repository/archive',
    'projects/:id/repository/archive.:format',
    'projects/:id/repository/blobs/:sha',
  ]),
  served('Repository files', [
    'projects/:id/repository/files/:file_path',
    'projects/:id/repository/files/:file_path/raw',
    'projects/:id/repository/files/:file_path/blame',
  ]),
  absent('Resource groups', ['projects/:id/resource_groups'], NO_CI),
  emptyList(
    'Resource iteration events',
    [`${ISSUE}/resource_iteration_events`],
    'there are no iterations',
  ),
  emptyList(
    'Resource label events',
    [`${ISSUE}/resource_label_events`, `${MERGE_REQUEST}/resource_label_events`],
    'system notes say who changed what',
  ),
  emptyList(
    'Resource milestone events',
    [`${ISSUE}/resource_milestone_events`, `${MERGE_REQUEST}/resource_milestone_events`],
    'system notes say who changed what',
  ),
  emptyList(
    'Resource state events',
    [`${ISSUE}/resource_state_events`, `${MERGE_REQUEST}/resource_state_events`],
    'system notes say who changed what',
  ),
  emptyList(
    'Runners',
    ['runners', 'runners/all', 'projects/:id/runners', 'groups/:id/runners'],
    NO_CI,
  ),
  absent('Search', ['search', 'projects/:id/search', 'groups/:id/search'], NOT_YET),
  absent('Secure files', ['projects/:id/secure_files'], NO_CI),
  absent('Service accounts', ['service_accounts', 'groups/:id/service_accounts'], NOT_FOR_GROUPS),
  served('Settings', ['application/settings']),
  served('Shares', ['projects/:id/share']),
  emptyList(
    'Snippets',
    ['snippets', 'snippets/public', 'projects/:id/snippets'],
    'there are no snippets',
  ),
  served('SSH keys', ['user/keys', 'users/:id/keys']),
  served('Stars', ['projects/:id/star', 'projects/:id/unstar']),
  served('Statistics', ['application/statistics']),
  served(
    'Subgroups',
    ['groups/:id/subgroups', 'groups/:id/descendant_groups'],
    'always `[]`: groups are not nested',
  ),
  served('Submodules', ['projects/:id/repository/submodules/:submodule']),
  served('System hooks', ['hooks']),
  served('Tags', ['projects/:id/repository/tags']),
  absent(
    'Templates',
    ['templates/licenses', 'projects/:id/templates/issues'],
    'nothing is made of templates',
  ),
  absent('Terraform state', ['projects/:id/terraform/state/main'], NO_DEPLOYMENTS),
  served('Time tracking', [`${ISSUE}/time_stats`, `${MERGE_REQUEST}/time_stats`]),
  served('To-do items', ['todos']),
  served('Topics', ['topics'], 'read; projects make them'),
  served('Uploads', ['projects/:id/uploads'], 'created and downloaded, not listed'),
  emptyObject('User preferences', ['user/preferences'], 'there are none'),
  emptyObject('User status', ['user/status', 'users/:id/status'], 'users set none'),
  served(
    'Users',
    ['user', 'users', 'users/:id', 'users/:id/block', 'users/:id/unblock'],
    '`ban`, `deactivate`, `approve` and `reject` are 404',
  ),
  absent('Variables', ['projects/:id/variables', 'groups/:id/variables'], NOT_YET),
  absent('Vulnerabilities', ['projects/:id/vulnerabilities'], NO_CI),
  absent('Wikis', ['projects/:id/wikis'], NOT_YET),
];

/** A route that answers nothing. */
export interface EmptyRoute {
  readonly name: string;
  readonly path: string;
  readonly answer: 'empty-list' | 'empty-object';
}

/** The routes that this room makes of the table. */
export const EMPTY_ROUTES: readonly EmptyRoute[] = RESOURCES.flatMap(({ name, answer, paths }) =>
  answer === 'empty-list' || answer === 'empty-object'
    ? paths.map((path) => ({ name, path, answer }))
    : [],
);
