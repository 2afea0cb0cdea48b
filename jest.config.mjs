import { isProfiled, ON_REDIS } from './scripts/profile/notes.mjs';
import { findSuites } from './scripts/suites.mjs';

// Jest on Node 20 cannot require ES modules, so our TypeScript and the ES-module-only packages are
// compiled to CommonJS on the fly. The package itself stays "type": "module".
const transform = (parser, transformOptions) => [
  '@swc/jest',
  {
    swcrc: false,
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
    jsc: { target: 'es2023', parser, keepClassNames: true, transform: transformOptions },
  },
];
const esmOnly = [
  '@nestjs/',
  'any-ascii',
  'file-type',
  'linguist-languages',
  'marked',
  'strtok3',
  'token-types',
  '@tokenizer/',
  'uint8array-extras',
  '@borewit/',
  'uuid',
  'js-yaml',
];

// Nobody guesses the passwords of tests: hashed at full cost they would take a fifth of the whole time.
const quickPasswords = { '^\\./password\\.js$': '<rootDir>/test/support/quick-passwords.ts' };

// A thread has no Jest that compiles what it loads.
const threadsFromSources = {
  '^\\./worker-program\\.js$': '<rootDir>/test/support/threads-from-sources.ts',
};

const PROFILE = '<rootDir>/test/support/profile';

const common = {
  testEnvironment: isProfiled() ? `${PROFILE}/environment.mjs` : 'node',
  moduleNameMapper: { ...threadsFromSources, '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': transform(
      { syntax: 'typescript', decorators: true },
      { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    ),
    '^.+\\.tsx$': transform(
      { syntax: 'typescript', tsx: true },
      { react: { runtime: 'automatic', importSource: 'preact' } },
    ),
    '^.+\\.js$': transform({ syntax: 'ecmascript' }, {}),
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join('|')}))`],
};

// The first pattern that fits counts.
const wholeService = {
  ...common,
  moduleNameMapper: { ...quickPasswords, ...common.moduleNameMapper },
};

// A run of everything takes suites in batches: scripts/batches.mjs.
const inBatches = process.env.TEST_BATCHES === 'true';
const project = (displayName, shared, suites = [`<rootDir>/test/${displayName}/**/*.spec.ts`]) => ({
  ...shared,
  displayName,
  testMatch: inBatches ? [`<rootDir>/test/batches/${displayName}/*.spec.ts`] : suites,
});

/** Suites tagged `@redis`, with the queues on the Redis that scripts/test.mjs names. */
async function projectOnRedis() {
  const suites = (await findSuites()).filter(({ runsOnRedis }) => runsOnRedis);
  const paths = suites.map((suite) => `<rootDir>/${suite.path}`);
  const shared = { ...wholeService, setupFiles: ['<rootDir>/test/support/on-redis.ts'] };
  return project(ON_REDIS, shared, paths);
}

export default {
  ...(inBatches ? { testSequencer: '<rootDir>/test/support/batch-sequencer.mjs' } : {}),
  ...(isProfiled() ? { reporters: ['default', `${PROFILE}/reporter.mjs`] } : {}),
  // A quarter of a worker's time is waiting: a third one uses it on two cores.
  maxWorkers: 3,
  // A suite begins by starting the whole service, which takes its time on a machine with other work.
  testTimeout: 60_000,
  // Each batch has a process of its own: Node forks itself for each git process of the service, which copies the tables of all memory that
  // earlier batches have left (docs/decisions/0040-where-test-time-goes.md).
  workerIdleMemoryLimit: '300MB',
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  projects: [
    project('unit', common),
    project('contract', wholeService),
    project('e2e', wholeService),
    ...(process.env.TEST_REDIS_SERVER === undefined ? [] : [await projectOnRedis()]),
  ],
};
