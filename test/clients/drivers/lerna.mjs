// lerna: versions two packages of one repository by their commits, and makes releases of their tags.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { folder, operation, read, token, url } from '../support/operations.mjs';
import { cloneOf, git, runProgram } from '../support/programs.mjs';
import { makeProject } from '../support/projects.mjs';

const { deepEqual, equal, match } = assert;

/** Where Nx keeps a copy of its library, whatever TMPDIR says. */
const NX_FOLDER = '/tmp/.nx';
const hadFolder = existsSync(NX_FOLDER);

const project = await makeProject('rails');
const clone = await cloneOf(project);

async function writePackage(name, dependencies = {}) {
  const home = path.join(clone, 'packages', name);
  await mkdir(home, { recursive: true });
  const content = { name: `@rails/${name}`, version: '1.0.0', dependencies };
  await writeFile(path.join(home, 'package.json'), JSON.stringify(content));
}

async function commit(message) {
  await git(clone, 'add', '--all');
  await git(clone, 'commit', '--quiet', '--message', message);
  await git(clone, 'push', '--quiet', '--set-upstream', 'origin', 'main');
}

await writeFile(
  path.join(clone, 'package.json'),
  '{"name":"rails","private":true,"workspaces":["packages/*"]}',
);
await writeFile(
  path.join(clone, 'lerna.json'),
  '{"version":"independent","npmClient":"npm","packages":["packages/*"]}',
);
await writeFile(path.join(clone, '.gitignore'), '.nx\n');
await writePackage('track');
await writePackage('train', { '@rails/track': '^1.0.0' });
await commit('chore: begin');
await git(clone, 'tag', '--message', 'Begin', '@rails/track@1.0.0');
await git(clone, 'tag', '--message', 'Begin', '@rails/train@1.0.0');
await git(clone, 'push', '--quiet', '--tags', 'origin');
await writeFile(path.join(clone, 'packages', 'track', 'gauge.js'), 'export default 1435;\n');
await commit('feat: measure the gauge');

await operation('makes versions and releases of the changed packages', async () => {
  const program = path.join(folder, 'node_modules', '.bin', 'lerna');
  const args = ['version', '--yes', '--conventional-commits', '--create-release', 'gitlab'];
  const output = await runProgram(program, args, {
    cwd: clone,
    env: {
      ...{ GL_TOKEN: token, GL_API_URL: `${url}/api/v4`, CI: 'true' },
      ...{ NX_DAEMON: 'false', NX_ISOLATE_PLUGINS: 'false' },
      // Nx, which lerna stands on, looks for packages where it is installed otherwise.
      ...{ NX_WORKSPACE_ROOT_PATH: clone, NX_SOCKET_DIR: path.join(folder, 'nx') },
      ...{ GIT_AUTHOR_NAME: 'Driver', GIT_AUTHOR_EMAIL: 'driver@example.com' },
      ...{ GIT_COMMITTER_NAME: 'Driver', GIT_COMMITTER_EMAIL: 'driver@example.com' },
    },
  });
  assert.doesNotMatch(output, /Failed to create release/);
  const releases = await read(`${project.base}/releases`);
  deepEqual(releases.map(({ tag_name: tag }) => tag).sort(), [
    '@rails/track@1.1.0',
    '@rails/train@1.0.1',
  ]);
});
await operation('publishes the notes of a release', async () => {
  const tag = encodeURIComponent('@rails/track@1.1.0');
  match((await read(`${project.base}/releases/${tag}`)).description, /measure the gauge/);
});
await operation('pushes the tags and the commit of the versions', async () => {
  const tag = encodeURIComponent('@rails/train@1.0.1');
  const { id } = await read(`${project.base}/repository/commits/main`);
  equal((await read(`${project.base}/repository/tags/${tag}`)).commit.id, id);
});
if (!hadFolder) await rm(NX_FOLDER, { recursive: true, force: true });
