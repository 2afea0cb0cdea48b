// The clients that the campaign drives, in their versions of today, and what each is known to fail at. docs/clients.md shows the
// same; test/unit/ops/clients.spec.ts compares.

/**
 * @typedef {object} Client
 * @property {string} name
 * @property {string} version
 * @property {'npm' | 'Debian'} registry it is installed from
 * @property {Record<string, string>} packages with their versions
 * @property {string} [node] the release of Node that it needs, where it is not that of the campaign
 * @property {string} [browser] that it runs in
 * @property {string} driver a file of drivers/, which calls `operation` for whatever it tries
 * @property {number} operations how many the driver tries
 * @property {readonly KnownFailure[]} [fails]
 */

/**
 * @typedef {object} KnownFailure
 * @property {string} because what the service does not have yet, or in a sentence another reason
 * @property {readonly string[]} operations
 */

const fails = (because, ...operations) => ({ because, operations });

/** @type {readonly Client[]} */
export const CLIENTS = [
  {
    name: '@gitbeaker/rest',
    version: '43.8.0',
    registry: 'npm',
    packages: { '@gitbeaker/rest': '43.8.0' },
    driver: 'gitbeaker.mjs',
    operations: 91,
    fails: [
      fails('access tokens', 'creates an access token'),
      fails('protected branches with levels', 'protects a branch by level'),
      fails('search', 'finds issues by search'),
    ],
  },
  {
    name: 'python-gitlab',
    version: '3.12.0',
    registry: 'Debian',
    packages: { 'python3-gitlab': '1:3.12.0-1', 'gitlab-cli': '1:3.12.0-1' },
    driver: 'python-gitlab.py',
    operations: 83,
    fails: [
      fails('protected branches with levels', 'protects a branch by level'),
      fails('search', 'finds issues by search'),
    ],
  },
  {
    name: 'gitlab (Ruby)',
    version: '4.17.0',
    registry: 'Debian',
    packages: { 'ruby-gitlab': '4.17.0-3' },
    driver: 'ruby-gitlab.rb',
    operations: 43,
    fails: [fails('protected branches with levels', 'protects a branch')],
  },
  {
    name: 'GitLab::API::v4',
    version: '0.26',
    registry: 'Debian',
    packages: { 'libgitlab-api-v4-perl': '0.26-3' },
    driver: 'gitlab-api-v4.pl',
    operations: 35,
    fails: [fails('protected branches with levels', 'protects a branch by level')],
  },
  {
    name: 'go-gitlab',
    version: '0.73.1',
    registry: 'Debian',
    packages: { 'golang-github-xanzy-go-gitlab-dev': '0.73.1-2', 'golang-go': '2:1.19~1' },
    driver: 'go-gitlab.go',
    operations: 52,
    fails: [fails('protected branches with levels', 'protects a branch by level')],
  },
  {
    name: 'Renovate',
    version: '39.264.1',
    registry: 'npm',
    packages: { renovate: '39.264.1' },
    driver: 'renovate.mjs',
    operations: 9,
  },
  {
    name: '@modelcontextprotocol/server-gitlab',
    version: '2025.4.25',
    registry: 'npm',
    packages: { '@modelcontextprotocol/server-gitlab': '2025.4.25' },
    driver: 'mcp-server-gitlab.mjs',
    operations: 13,
    fails: [
      fails(
        'two answers (after the work is done) should have fields that GitLab does not send either',
        ...['create_or_update_file', 'fork_repository'],
      ),
    ],
  },
  {
    name: '@zereight/mcp-gitlab',
    version: '2.1.64',
    registry: 'npm',
    packages: { '@zereight/mcp-gitlab': '2.1.64' },
    driver: 'mcp-gitlab.mjs',
    operations: 57,
    fails: [
      fails(
        'patch IDs of versions',
        ...['list_merge_request_versions', 'get_merge_request_version'],
      ),
    ],
  },
  {
    name: 'screwdriver-scm-gitlab',
    version: '5.5.3',
    registry: 'npm',
    packages: { 'screwdriver-scm-gitlab': '5.5.3' },
    driver: 'screwdriver-scm-gitlab.mjs',
    operations: 13,
  },
  {
    name: 'conventional-gitlab-releaser',
    version: '4.0.3',
    registry: 'npm',
    packages: { 'conventional-gitlab-releaser': '4.0.3' },
    driver: 'conventional-gitlab-releaser.mjs',
    operations: 2,
  },
  {
    name: 'semantic-release with @semantic-release/gitlab',
    version: '24.2.9 with 13.3.3',
    registry: 'npm',
    packages: { 'semantic-release': '24.2.9', '@semantic-release/gitlab': '13.3.3' },
    driver: 'semantic-release.mjs',
    operations: 5,
  },
  {
    name: 'release-it',
    version: '20.2.1',
    registry: 'npm',
    packages: { 'release-it': '20.2.1' },
    driver: 'release-it.mjs',
    operations: 6,
  },
  {
    name: 'lerna',
    version: '9.0.7',
    registry: 'npm',
    packages: { lerna: '9.0.7' },
    driver: 'lerna.mjs',
    operations: 3,
  },
  {
    name: 'Danger',
    version: '14.0.7',
    registry: 'npm',
    packages: { danger: '14.0.7' },
    driver: 'danger.mjs',
    operations: 7,
  },
  {
    name: 'changesets-gitlab',
    version: '0.13.4',
    registry: 'npm',
    packages: { 'changesets-gitlab': '0.13.4', '@changesets/cli': '2.31.1' },
    driver: 'changesets-gitlab.mjs',
    operations: 5,
  },
  {
    name: 'reg-notify-gitlab-plugin',
    version: '0.14.3',
    registry: 'npm',
    packages: { 'reg-notify-gitlab-plugin': '0.14.3', 'reg-suit': '0.14.5' },
    driver: 'reg-notify.mjs',
    operations: 4,
  },
  {
    name: 'nodes of n8n',
    version: '2.41.1',
    registry: 'npm',
    packages: { 'n8n-nodes-base': '2.41.1' },
    driver: 'n8n.mjs',
    operations: 21,
  },
  {
    name: 'Decap CMS',
    version: '3.16.3',
    registry: 'npm',
    packages: { 'decap-cms': '3.16.3' },
    browser: '/usr/bin/chromium',
    driver: 'decap-cms.mjs',
    operations: 15,
  },
  // The newest of all, for a newer Node.
  {
    name: 'Renovate',
    version: '44.121.2',
    registry: 'npm',
    packages: { renovate: '44.121.2' },
    node: '24',
    driver: 'renovate.mjs',
    operations: 9,
  },
  {
    name: 'semantic-release with @semantic-release/gitlab',
    version: '25.0.9 with 13.3.3',
    registry: 'npm',
    packages: { 'semantic-release': '25.0.9', '@semantic-release/gitlab': '13.3.3' },
    node: '24',
    driver: 'semantic-release.mjs',
    operations: 5,
  },
  {
    name: 'release-it',
    version: '21.1.2',
    registry: 'npm',
    packages: { 'release-it': '21.1.2' },
    node: '24',
    driver: 'release-it.mjs',
    operations: 6,
  },
  {
    name: 'lerna',
    version: '10.1.1',
    registry: 'npm',
    packages: { lerna: '10.1.1' },
    node: '24',
    driver: 'lerna.mjs',
    operations: 3,
  },
];

/** The row that docs/clients.md has of a client. */
export function rowOf({ name, version, registry, node = '20', operations, fails = [] }) {
  const failing = fails.flatMap((failure) => failure.operations).length;
  const from = registry === 'npm' ? `npm, Node ${node}` : registry;
  const reasons = fails.map(({ because }) => because).join(', ');
  return [name, version, from, `${operations - failing} of ${operations}`, reasons];
}
