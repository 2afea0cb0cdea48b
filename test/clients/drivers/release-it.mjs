// release-it: releases a version with a file and a milestone, and checks first whether it may.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { folder, operation, read, token, url, write } from '../support/operations.mjs';
import { cloneOf, git, runProgram } from '../support/programs.mjs';
import { makeProject } from '../support/projects.mjs';

const { deepEqual, equal, rejects } = assert;
/** What release-it puts the version for. */
const VERSION = ['$', '{version}'].join('');
const FILE = 'fuel for one launch\n';

const project = await makeProject('launcher');
await write('POST', `${project.base}/milestones`, { title: 'Launch' });
const clone = await cloneOf(project);
await mkdir(path.join(clone, 'build'));
await writeFile(path.join(clone, 'build', 'fuel.txt'), FILE);
await writeFile(path.join(clone, 'package.json'), '{"name":"launcher","version":"0.1.0"}');
await git(clone, 'add', '--all');
await git(clone, 'commit', '--quiet', '--message', 'Begin');
await git(clone, 'push', '--quiet', '--set-upstream', 'origin', 'main');

async function release(increment, { milestone = 'Launch', as = token } = {}) {
  const config = {
    ...{ git: { commitMessage: `Release ${VERSION}`, tagAnnotation: `Version ${VERSION}` } },
    ...{ npm: { publish: false } },
    gitlab: {
      ...{ release: true, origin: url, useIdsForUrls: true },
      ...{ assets: ['build/*.txt'], milestones: [milestone], releaseNotes: 'echo "Flies higher"' },
    },
  };
  const file = path.join(process.env.HOME, 'release-it.json');
  await writeFile(file, JSON.stringify(config));
  const program = path.join(folder, 'node_modules', '.bin', 'release-it');
  return runProgram(program, [increment, '--ci', '--config', file], {
    cwd: clone,
    env: { GITLAB_TOKEN: as },
  });
}

await operation('refuses a token that is unknown', () =>
  rejects(release('patch', { as: 'of-nobody-at-all' }), /Could not authenticate/),
);
await operation('refuses a milestone that does not exist', () =>
  rejects(release('patch', { milestone: 'Landing' }), /Missing one or more milestones/),
);
await operation('pushes the tag of a release', async () => {
  await release('minor');
  const tag = await read(`${project.base}/repository/tags/0.2.0`);
  deepEqual([tag.message, tag.commit.id], ['Version 0.2.0', await git(clone, 'rev-parse', 'HEAD')]);
});
const made = await operation('publishes a release', async () => {
  const row = await read(`${project.base}/releases/0.2.0`);
  deepEqual([row.name, row.description], ['Release 0.2.0', 'Flies higher']);
  return row;
});
await operation('names the milestone of the release', async () => {
  const titles = made.milestones.map(({ title }) => title);
  deepEqual(titles, ['Launch']);
});
await operation('uploads a file of the release', async () => {
  const [{ name, url: address }] = made.assets.links;
  equal(name, 'fuel.txt');
  const response = await fetch(address, { headers: { 'private-token': token } });
  equal(await response.text(), FILE);
});
