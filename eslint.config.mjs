// Lint rules. Type-aware for all TypeScript; the floors of the house (docs/design.md) as import zones.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import importX from 'eslint-plugin-import-x';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

const ROOT = path.dirname(fileURLToPath(import.meta.url));

// From the top of the house to the ground: a room imports only from rooms listed below it.
const ROOMS = [
  'console',
  'web',
  'catalogue',
  'hooks',
  'releases',
  'merge-requests',
  'issues',
  'git-access',
  'markdown',
  'issuables',
  'repository',
  'feeds',
  'memberships',
  'projects',
  'storage',
  'groups',
  'users',
  'settings',
  'audit',
  'authorization',
  'activity',
];

// The same for the folders within a room; v3/ and v4/ may import from all of them. Files beside the folders may be imported by all.
const FOLDERS = {
  console: ['overview', 'jobs', 'deliveries', 'processes', 'storages', 'audit', 'html'],
  web: ['pages', 'sign-in', 'html'],
  'web/pages': [
    ...['start', 'help', 'namespaces', 'projects', 'issuables', 'releases', 'commits', 'parts'],
  ],
  hooks: ['project-hooks', 'system-hooks', 'delivery-log', 'deliveries', 'payloads', 'model'],
  releases: ['links', 'model'],
  projects: ['lists', 'lifecycle', 'topics', 'deploy-keys', 'model'],
  authorization: ['guards', 'model'],
  'projects/lifecycle': ['deletion', 'forks', 'imports'],
  'git-access': ['http', 'ssh'],
  repository: [
    ...['branches', 'tags', 'files', 'commits', 'pushes', 'housekeeping', 'protection', 'shared'],
  ],
  'repository/commits': ['comments', 'statuses'],
  'repository/pushes': ['recording', 'payloads'],
  'merge-requests': ['pushes', 'accept', 'rebases', 'merges', 'changes', 'versions', 'model'],
  users: ['authentication', 'deletion', 'owned-records', 'model'],
  storage: ['uploads', 'quota', 'repositories'],
  audit: ['recording', 'model'],
  markdown: ['links', 'threads', 'rendering'],
  issues: ['closing', 'moves', 'links', 'lists', 'model'],
  issuables: [
    'changes',
    'relations',
    'notes',
    'awards',
    'planning',
    'todos',
    'references',
    'model',
  ],
};

// The same for the folders of src/git. They import nothing from the files beside them.
const GIT = [
  'maintenance',
  'copying',
  'wire',
  'merge',
  'diff',
  'history',
  'refs',
  'objects',
  'storage',
  'process',
  'model',
];
const GIT_ROOT = ['src/git/git.ts', 'src/git/repository.ts', 'src/git/index.ts'];

// The same for the rooms of the ground floor.
const PLATFORM = [
  'http',
  'monitoring',
  'cluster',
  'net',
  'queue',
  'redis',
  'events',
  'discovery',
  'pagination',
  'database',
  'observability',
  'tracing',
  'secrets',
  'collections',
  'async',
  'errors',
  'config',
  'limits',
  'metrics',
];

// The same for the folders of the queue's room.
const QUEUE = ['reconciliation', 'running', 'outbox', 'backends', 'jobs'];

/** Rooms on one floor: nothing from a room above, from a room below only its index. */
function orderedRooms(folder, rooms) {
  return rooms.flatMap((room, height) =>
    rooms.flatMap((other, otherHeight) => {
      if (room === other) return [];
      const above = otherHeight < height;
      return {
        target: `${folder}/${room}`,
        from: `${folder}/${other}`,
        except: above ? [] : entrancesOf(other),
        message: above
          ? `${room} lies below ${other}: publish a domain event, or move what both need further down.`
          : `Enter ${other} through its index.ts.`,
      };
    }),
  );
}

/** Where the versions of the API are spelled: folders of each room, which those of other rooms enter for the same version. */
const VERSIONS = ['v3', 'v4'];
const outOfBounds = (version, target) => ({
  target,
  from: `src/modules/*/${version}/**`,
  message: `A face spells what the domain says: pass domain types, and present them in ${version}/.`,
});
const domainOnly = (target) => VERSIONS.map((version) => outOfBounds(version, target));

/** Folders of one room: nothing from a folder above. */
const orderedFolders = (room, folders) =>
  folders.flatMap((folder, height) =>
    folders.slice(0, height).map((above) => ({
      target: `${room}/${folder}`,
      from: `${room}/${above}`,
      message: `${folder} lies below ${above}: move what both need further down.`,
    })),
  );

/**
 * The embedded server is a room within the database's, started before there is a database. Queries, and threads, use what loads
 * neither Nest nor TypeORM.
 */
const ENTRANCES = {
  database: ['./index.ts', './connections/index.ts', './embedded/index.ts'],
  cluster: ['./index.ts', './unattended-jobs.query.ts'],
  issuables: ['./index.ts', './v3/index.ts', './v4/index.ts', './references/syntax.ts'],
  monitoring: ['./index.ts', './disk.ts'],
  pagination: ['./index.ts', './bounded-groups.ts', './page.ts'],
  queue: ['./index.ts', './outbox/count-jobs.query.ts'],
};
const entrancesOf = (room) =>
  ENTRANCES[room] ?? ['./index.ts', ...VERSIONS.map((version) => `./${version}/index.ts`)];

/** What a floor may not import at all. */
const closed = (target, ...from) => ({
  target,
  from,
  message: `${target} lies below and knows nothing of it.`,
});

const ABOVE_BACKUP = ['src/cli', 'src/main.ts'];
const ABOVE_MODULES = ['src/bootstrap', 'src/backup', ...ABOVE_BACKUP];

const ZONES = [
  ...orderedRooms('src/modules', ROOMS),
  ...orderedRooms('src/platform', PLATFORM),
  ...Object.entries(FOLDERS).flatMap(([room, folders]) =>
    orderedFolders(`src/modules/${room}`, folders),
  ),
  ...orderedFolders('src/git', GIT),
  ...orderedFolders('src/platform/queue', QUEUE),
  ...GIT.map((folder) => closed(`src/git/${folder}`, ...GIT_ROOT)),
  ...PLATFORM.map((room) => ({
    target: 'src/modules',
    from: `src/platform/${room}`,
    except: entrancesOf(room),
    message: `Enter ${room} through its index.ts.`,
  })),
  {
    target: 'src/modules',
    from: 'src/git',
    except: ['./index.ts'],
    message: 'Enter git through its index.ts.',
  },
  {
    target: 'src/modules',
    from: 'src/faces',
    except: ['./index.ts'],
    message: 'Enter faces through its index.ts.',
  },
  ...domainOnly('src/modules/*/!(*.module).ts'),
  ...VERSIONS.map((version) => outOfBounds(version, `src/modules/*/!(${version})/**/*`)),
  // The command line prints accounts and entries of the audit log as the API answers them.
  ...['src/backup', 'src/bootstrap', 'src/faces', 'src/platform', 'src/git'].flatMap(domainOnly),
  closed('src/backup', ...ABOVE_BACKUP),
  closed('src/bootstrap', 'src/backup', ...ABOVE_BACKUP),
  closed('src/modules', ...ABOVE_MODULES),
  closed('src/faces', 'src/git', 'src/modules', ...ABOVE_MODULES),
  closed('src/platform', 'src/git', 'src/faces', 'src/modules', ...ABOVE_MODULES),
  closed('src/git', 'src/platform', 'src/faces', 'src/modules', ...ABOVE_MODULES),
];

// Of ESLint's own rules those that find mistakes the compiler and typescript-eslint do not.
const CORE = Object.fromEntries(
  [
    'eqeqeq',
    'no-async-promise-executor',
    'no-case-declarations',
    'no-cond-assign',
    'no-constant-binary-expression',
    'no-constructor-return',
    'no-dupe-else-if',
    'no-empty',
    'no-fallthrough',
    'no-prototype-builtins',
    'no-self-compare',
    'no-sparse-arrays',
    'no-template-curly-in-string',
    'no-unreachable-loop',
    'no-unsafe-finally',
    'no-unused-labels',
    'no-unused-private-class-members',
    'no-useless-assignment',
    'no-useless-catch',
    'no-useless-escape',
    'no-var',
    'prefer-const',
    'preserve-caught-error',
  ].map((rule) => [rule, 'error']),
);

const RESTRICTED_IMPORTS = {
  paths: [
    {
      name: '@nestjs/common',
      importNames: ['forwardRef'],
      message: 'What must run against the floors travels as a domain event.',
    },
    {
      name: '@nestjs/swagger',
      allowTypeImports: true,
      message: 'An installation does not contain it; its decorators stand in src/platform/http.',
    },
  ],
};

const NO_ENVIRONMENT = [
  {
    object: 'process',
    property: 'env',
    message: 'Settings come from Config; only platform/config reads the environment.',
  },
];

/** What depends on the locale and the Unicode tables of the process: two processes would sort differently. */
const NO_LOCALE = ['localeCompare', 'toLocaleLowerCase', 'toLocaleUpperCase'].map((property) => ({
  property,
  message: 'Texts are compared by their code units, and put into lower case in every locale alike.',
}));

/** The beginning of an SQL statement, as ESLint's selectors take it. */
const STATEMENT = '/^\\s*(SELECT (?!1$)|INSERT INTO |UPDATE \\w+ SET |DELETE FROM |WITH \\w+ AS )/';

/** V8 keeps a state for each repetition of a group, and fails when a text of megabytes has too many. */
const NO_REPEATED_GROUPS = {
  selector: 'Literal[regex.pattern=/(?<!\\\\)\\)(?:[*+]|\\{\\d+,\\})/]',
  message:
    'Repeat one character or class, or loop over matches: repeated groups overflow the stack.',
};

const STATUS = '/^[45]\\d\\d /';

/** A face gives a status to what the domain refuses. */
const NO_STATUS_TEXTS = [`TemplateElement[value.raw=${STATUS}]`, `Literal[value=${STATUS}]`].map(
  (selector) => ({
    selector,
    message: 'Throw the reason, and word it in v3/refusals.ts: the domain knows no status.',
  }),
);

/** What speaks to clients, each in words of its own. */
const FACES_OF_ROOMS = ['src/modules/*/{v3,v4}/**', 'src/modules/{console,git-access,web}/**'];

const SQL_IN_REPOSITORIES = [
  `TemplateElement[value.raw=${STATEMENT}]`,
  `Literal[value=${STATEMENT}]`,
].map((selector) => ({
  selector,
  message: 'SQL stands in *.repository.ts, *.query.ts and *.sql.ts.',
}));

/** Where statements stand; entities declare columns that are computed. */
const WITH_SQL = ['**/*.repository.ts', '**/*.query.ts', '**/*.sql.ts', '**/*.entity.ts'];

export default tseslint.config(
  { ignores: ['dist/', 'data/', 'coverage/', 'bench/results/', 'test/batches/', 'site/'] },
  {
    // A rule that has to be broken somewhere is changed here, where it can be seen and explained.
    linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' },
  },
  { rules: CORE },
  {
    files: ['**/*.mjs', '**/*.cjs', '**/*.js'],
    rules: { 'no-undef': 'error', 'no-unused-vars': 'error' },
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        fetch: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        performance: 'readonly',
        require: 'readonly',
        module: 'readonly',
        __dirname: 'readonly',
        AbortController: 'readonly',
        AbortSignal: 'readonly',
        structuredClone: 'readonly',
      },
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { project: ['./tsconfig.check.json'], tsconfigRootDir: ROOT },
    },
    plugins: { 'import-x': importX },
    settings: {
      'import-x/extensions': ['.ts', '.tsx'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts', '.tsx'] },
      // Imports name the compiled file.
      'import-x/resolver-next': [
        importX.createNodeResolver({
          extensions: ['.ts', '.tsx', '.js'],
          extensionAlias: { '.js': ['.ts', '.tsx', '.js'] },
        }),
      ],
    },
    rules: {
      'no-console': 'error',
      '@typescript-eslint/no-restricted-imports': ['error', RESTRICTED_IMPORTS],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      // A Nest module is a class that may hold nothing but its decorator and a static factory.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true, allowNullish: true },
      ],
      // `() => doIt()` as a callback is how handlers are written; statements stay checked.
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      // `for (;;)` and `while (true)` loops end from within.
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      // An interface with a method is implemented by Nest's own classes as often as by ours.
      '@typescript-eslint/unbound-method': ['error', { ignoreStatic: true }],
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      // Presenters answer with plain objects, spread from one another; their classes have no
      // methods and are there to be described in the interface document.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    plugins: { regexp },
    rules: {
      'no-restricted-syntax': ['error', NO_REPEATED_GROUPS, ...NO_STATUS_TEXTS],
      'regexp/no-super-linear-backtracking': 'error',
      'regexp/no-super-linear-move': 'error',
      'import-x/no-restricted-paths': ['error', { basePath: ROOT, zones: ZONES }],
      'no-restricted-properties': ['error', ...NO_ENVIRONMENT, ...NO_LOCALE],
    },
  },
  {
    // src/git depends on nothing above it, so it reads the PATH for its child processes itself.
    files: ['src/main.ts', 'src/platform/config/**/*.ts', 'src/git/process/environment.ts'],
    rules: { 'no-restricted-properties': ['error', ...NO_LOCALE] },
  },
  {
    files: ['src/modules/**/*.{ts,tsx}', 'src/platform/queue/**/*.ts'],
    ignores: WITH_SQL,
    rules: {
      'no-restricted-syntax': [
        'error',
        NO_REPEATED_GROUPS,
        ...NO_STATUS_TEXTS,
        ...SQL_IN_REPOSITORIES,
      ],
    },
  },
  {
    files: FACES_OF_ROOMS,
    ignores: WITH_SQL,
    rules: { 'no-restricted-syntax': ['error', NO_REPEATED_GROUPS, ...SQL_IN_REPOSITORIES] },
  },
  {
    files: ['src/cli/**/*.ts', 'src/platform/http/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', NO_REPEATED_GROUPS] },
  },
  {
    // The interface document is generated from these classes: the build turns their types into values.
    files: ['src/**/*.view.ts'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off' },
  },
  {
    // The code that is to be changed has templates.
    files: ['test/mutation/faults.mjs'],
    rules: { 'no-template-curly-in-string': 'off' },
  },
  {
    // Tests look at JSON of any shape, hand over wrong types on purpose and may print.
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      'no-console': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
    },
  },
);
