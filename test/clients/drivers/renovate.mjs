// Renovate: from onboarding to a merged update. The versions that it finds are tags of other projects of this service, so that
// it asks no other.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  operation,
  read,
  requireThere,
  token,
  url,
  username,
  write,
} from '../support/operations.mjs';
import { runProgram } from '../support/programs.mjs';
import { makeProject } from '../support/projects.mjs';

const { equal, deepEqual, match } = assert;
const HOME = process.env.HOME;
const VERSIONS = ['1.0.0', '1.1.0'];

async function makeLibrary(name) {
  const library = await makeProject(name, { 'README.md': `# ${name}\n` });
  for (const tag of VERSIONS) {
    await write('POST', `${library.base}/repository/tags`, { tag_name: tag, ref: 'main' });
  }
  return library.path;
}

const valve = await makeLibrary('valve');
const gasket = await makeLibrary('gasket');
const pump = await makeProject('pump', { 'versions.txt': `${valve} 1.0.0\n${gasket} 1.0.0\n` });

const { version } = requireThere('renovate/package.json');
/** Version 40 renamed it. */
const FILES =
  Number.parseInt(version, 10) < 40
    ? { fileMatch: ['^versions\\.txt$'] }
    : { managerFilePatterns: ['/^versions\\.txt$/'] };

/** Of the project: what the onboarding request proposes. Only the gasket may be merged without a person. */
const PROPOSED = {
  enabledManagers: ['custom.regex'],
  customManagers: [
    {
      customType: 'regex',
      ...FILES,
      matchStrings: ['(?<depName>\\S+) (?<currentValue>\\S+)'],
      datasourceTemplate: 'gitlab-tags',
      registryUrlTemplate: url,
      versioningTemplate: 'semver',
    },
  ],
  packageRules: [{ matchPackageNames: [gasket], automerge: true, platformAutomerge: false }],
  dependencyDashboard: true,
  labels: ['dependencies'],
  assignees: [username],
};

async function renovate(options) {
  const file = path.join(HOME, 'config.json');
  const settings = {
    ...{ platform: 'gitlab', endpoint: `${url}/api/v4/`, token, binarySource: 'global' },
    ...{ gitAuthor: 'Renovate <renovate@example.com>', baseDir: path.join(HOME, 'renovate') },
    ...{ prHourlyLimit: 0, onboardingConfig: PROPOSED, ...options },
  };
  await writeFile(file, JSON.stringify(settings));
  return runProgram('renovate', [], { env: { RENOVATE_CONFIG_FILE: file, LOG_LEVEL: 'debug' } });
}

const runOnPump = () => renovate({ repositories: [pump.path] });

const requests = (query = '') => read(`${pump.base}/merge_requests?per_page=100${query}`);
const requestFrom = async (branch) => (await requests(`&source_branch=${branch}`))[0];
const versionsAt = async (ref) => {
  const file = await read(`${pump.base}/repository/files/versions.txt?ref=${ref}`);
  return Buffer.from(file.content, 'base64').toString();
};

/** All that a run may change. */
async function state() {
  const open = await requests();
  const branches = await read(`${pump.base}/repository/branches`);
  return {
    branches: branches.map(({ name, commit }) => [name, commit.id]),
    requests: open.map(({ iid, title, description, state: is, labels }) => [
      ...[iid, title, description, is, labels],
    ]),
    notes: await Promise.all(
      open.map(async ({ iid }) => (await read(`${pump.base}/merge_requests/${iid}/notes`)).length),
    ),
    issues: (await read(`${pump.base}/issues`)).map(({ title, description }) => [
      ...[title, description],
    ]),
  };
}

await operation('finds projects by itself', async () => {
  const file = path.join(HOME, 'discovered.json');
  await renovate({ autodiscover: true, writeDiscoveredRepos: file });
  const found = JSON.parse(await readFile(file, 'utf8'));
  deepEqual(found.map((each) => each.repository ?? each).sort(), [gasket, pump.path, valve]);
});

await operation('proposes its configuration', async () => {
  await runOnPump();
  const request = await requestFrom('renovate/configure');
  deepEqual([request.title, request.state], ['Configure Renovate', 'opened']);
  match(request.description, /custom\.regex|regex/);
  const proposed = await read(
    `${pump.base}/repository/files/renovate.json?ref=renovate%2Fconfigure`,
  );
  const config = JSON.parse(Buffer.from(proposed.content, 'base64').toString());
  deepEqual(config.labels, ['dependencies']);
  await write('PUT', `${pump.base}/merge_requests/${request.iid}/merge`);
});

await operation('proposes updates', async () => {
  await runOnPump();
  const open = await requests('&state=opened');
  deepEqual(open.map(({ title }) => title).sort(), [
    `Update dependency ${gasket} to v1.1.0`,
    `Update dependency ${valve} to v1.1.0`,
  ]);
  for (const request of open) {
    deepEqual(request.labels, ['dependencies']);
    match(request.description, /1\.0\.0.*1\.1\.0/);
  }
  const ofValve = open.find(({ title }) => title.includes(valve));
  equal(
    await versionsAt(encodeURIComponent(ofValve.source_branch)),
    `${valve} 1.1.0\n${gasket} 1.0.0\n`,
  );
});

await operation('assigns updates', async () => {
  const open = await requests('&state=opened');
  // Those that it merges by itself have no assignee.
  const ofValve = open.find(({ title }) => title.includes(valve));
  deepEqual(
    ofValve.assignees.map((user) => user.username),
    [username],
  );
});

await operation('keeps a dashboard', async () => {
  const issues = await read(`${pump.base}/issues`);
  deepEqual(
    issues.map(({ title }) => title),
    ['Dependency Dashboard'],
  );
  match(issues[0].description, /## Open[\s\S]*valve/);
});

await operation('changes nothing in a second run', async () => {
  const before = await state();
  await runOnPump();
  deepEqual(await state(), before);
});

await operation('merges an update when its build has passed', async () => {
  const open = await requests('&state=opened');
  const ofGasket = open.find(({ title }) => title.includes(gasket));
  await write('POST', `${pump.base}/statuses/${ofGasket.sha}`, { state: 'success', name: 'build' });
  await runOnPump();
  const { state: is } = await read(`${pump.base}/merge_requests/${ofGasket.iid}`);
  equal(is, 'merged');
  match(await versionsAt('main'), /gasket 1\.1\.0/);
});

await operation('rebases a request that conflicts', async () => {
  const [ofValve] = await requests('&state=opened');
  await write('POST', `${pump.base}/repository/commits`, {
    ...{ branch: 'main', commit_message: 'Remark on the valve' },
    actions: [
      {
        action: 'update',
        file_path: 'versions.txt',
        content: `${valve} 1.0.0 !\n${gasket} 1.1.0\n`,
      },
    ],
  });
  await runOnPump();
  const { sha } = await read(`${pump.base}/merge_requests/${ofValve.iid}`);
  const { parent_ids: parents } = await read(`${pump.base}/repository/commits/${sha}`);
  deepEqual(parents, [(await read(`${pump.base}/repository/branches/main`)).commit.id]);
});

await operation('closes the request of an update that is there', async () => {
  equal((await requests('&state=opened')).length, 1);
  await write('POST', `${pump.base}/repository/commits`, {
    ...{ branch: 'main', commit_message: 'Update by hand' },
    actions: [
      { action: 'update', file_path: 'versions.txt', content: `${valve} 1.1.0\n${gasket} 1.1.0\n` },
    ],
  });
  await runOnPump();
  deepEqual(await requests('&state=opened'), []);
});
