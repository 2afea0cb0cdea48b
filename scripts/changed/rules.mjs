/**
 * The folders of end-to-end suites: the rooms of `src/modules` that they test, and the suite that is run for the
 * folder where a change touches too much to run all of them.
 */
export const FOLDERS = {
  users: { rooms: ['users', 'settings'], sample: 'current-user' },
  audit: { rooms: ['audit'], sample: 'audit-events' },
  groups: { rooms: ['groups', 'memberships'], sample: 'group-members' },
  projects: {
    rooms: ['projects', 'memberships', 'storage', 'feeds', 'activity'],
    sample: 'project-members',
  },
  repository: { rooms: ['repository'], sample: 'commits' },
  git: { rooms: ['git-access'], sample: 'git-push' },
  planning: { rooms: ['issuables'], sample: 'labels' },
  issues: { rooms: ['issues', 'issuables'], sample: 'issues-create' },
  'merge-requests': { rooms: ['merge-requests'], sample: 'merge-requests-create' },
  merging: { rooms: ['merge-requests'], sample: 'merge-accept' },
  'quick-actions': {
    rooms: ['issuables', 'issues', 'merge-requests'],
    sample: 'issue-actions',
  },
  hooks: { rooms: ['hooks'], sample: 'project-hooks' },
  faces: { rooms: ['settings', 'authorization'], sample: 'version-4' },
  v4: {
    rooms: [
      ...['groups', 'hooks', 'issuables', 'issues', 'memberships', 'merge-requests', 'projects'],
      ...['repository', 'releases', 'users', 'feeds', 'settings', 'catalogue', 'markdown'],
    ],
    sample: 'planning',
  },
  clients: { rooms: [], sample: 'client-shapes' },
  hostile: { rooms: [], sample: 'unrouted-paths' },
  operation: { rooms: [], sample: 'jobs' },
  web: { rooms: ['web', 'console'], sample: 'pages' },
  campaigns: { rooms: [], sample: 'issues-races' },
};

/** What suites depend on without importing it: a pattern of paths, and beginnings of the suites' paths. */
export const RULES = [
  [
    /^src\/.*\.tsx?$/,
    ['contract/import-cycles', 'contract/exported-names', 'contract/harness', 'contract/docs'],
  ],
  [
    /\.(controllers?|dto|view|presenter)\.ts$|^openapi(?:-v4)?\.json$/,
    ['contract/routes', 'contract/schemas', 'contract/reference'],
  ],
  [
    /\.(controllers?|dto)\.ts$|^openapi(?:-v4)?\.json$/,
    ['contract/parameters', 'contract/permissions'],
  ],
  [
    /\.controller\.ts$|^src\/modules\/audit\/|^docs\/reference\/audit-events\.md$/,
    ['contract/audit'],
  ],
  [/^src\/platform\/http\/openapi\/explorer\.ts$/, ['e2e/web/explorer']],
  [
    /^src\/(?:platform\/http|faces)\//,
    ['contract/routes', 'contract/schemas', 'contract/parameters'],
  ],
  [/^src\/faces\//, ['e2e/faces', 'e2e/web/explorer']],
  [/\.entity\.ts$|\/migrations\//, ['contract/migrations', 'e2e/operation/upgrade']],
  [/^test\/upgrade\//, ['contract/migrations', 'e2e/operation/upgrade', 'unit/ops/campaign']],
  [/^test\/mutation\//, ['contract/harness']],
  [/^CHANGELOG\.md$/, ['contract/migrations']],
  [/^src\/modules\/authorization\//, ['contract/permissions']],
  [/^src\/modules\/hooks\/(?:v3\/)?payloads\//, ['contract/hook-payloads']],
  [
    /^src\/platform\/config\//,
    ['docs', 'docker', 'kubernetes', 'systemd'].map((name) => `contract/${name}`),
  ],
  [
    /^src\/(main\.ts$|cli\/|bootstrap\/)/,
    ['e2e/operation/command-line', 'e2e/operation/roles', 'e2e/operation/lifecycle'],
  ],
  [/^src\/bootstrap\/(?:health\.controller|shutdown)\.ts$/, ['contract/kubernetes']],
  [/^\.env\.example$/, ['unit/ops/config']],
  [/\.md$|^docs\/|^package\.json$|^scripts\/(?:permissions|architecture)\.mjs$/, ['contract/docs']],
  [/^docs\/.*\.md$|^README\.md$/, ['contract/documented-commands']],
  [/^(?:docs|docker)\/|^[A-Z]+\.md$/, ['e2e/web/help']],
  [/^docs\/examples\/receivers\//, ['e2e/hooks/example-receiver']],
  [/^docs\/reference\//, ['contract/reference']],
  [/^docs\/tour\.md$/, ['contract/tour']],
  [
    /^docker\/|^\.dockerignore$/,
    ['docker', 'kubernetes', 'systemd'].map((name) => `contract/${name}`),
  ],
  [/^eslint\.config\.mjs$/, ['unit/ops/lint-rules']],
  [
    /^scripts\//,
    ['campaign', 'prepare', 'temporary-folder', 'test-'].map((name) => `unit/ops/${name}`),
  ],
  [/^test\/support\/profile\//, ['unit/ops/test-profile']],
  [/^test\/(?:clients|crash|faults|fuzz|hostile|node|proxies)\//, ['unit/ops/campaign']],
  [/^test\/clients\/|^docs\/clients\.md$/, ['unit/ops/clients']],
];

/** What suites of operations test: a change there touches all of them. */
export const OPERATION =
  /^src\/(?:main\.ts$|cli\/|backup\/|bootstrap\/|platform\/(?:config|database\/embedded)\/)/;

/** What the whole service is put together by: imports beyond these say nothing about behaviour. */
export const ROOTS = /\.module\.ts$|^src\/bootstrap\/|^ormconfig\.ts$|^test\/support\/trellis\.ts$/;

/** What everything depends on. */
export const FOUNDATIONS =
  /^src\/bootstrap\/|^ormconfig\.ts$|^package-lock\.json$|^tsconfig.*\.json$|^jest\.config\.mjs$|^test\/support\/(trellis\.ts|[^/]*\.mjs)$/;
