// conventional-gitlab-releaser: makes the tag of a release, with what the commits since the last one say.
import assert from 'node:assert/strict';
import path from 'node:path';
import { operation, read, requireThere, token, url } from '../support/operations.mjs';
import { git, remoteOf } from '../support/programs.mjs';
import { makeProject } from '../support/projects.mjs';

const releaser = requireThere('conventional-gitlab-releaser');
const project = await makeProject('bell');
const clone = path.join(process.env.HOME, 'bell');
await git(process.env.HOME, 'init', '--quiet', '--initial-branch=main', clone);
await git(clone, 'remote', 'add', 'origin', remoteOf(project.path));
await git(clone, 'commit', '--quiet', '--allow-empty', '--message', 'feat: ring');
await git(clone, 'push', '--quiet', 'origin', 'main');
// It makes the tag of the service from the one that is here.
await git(clone, 'tag', 'v1.0.0');
process.chdir(clone);

const release = () =>
  new Promise((resolve, reject) => {
    const [owner, repository] = project.path.split('/');
    const auth = { token, url: `${url}/api/v4/` };
    const context = { host: url, owner, repository, version: '1.0.0' };
    releaser(auth, { preset: 'angular' }, context, {}, {}, {}, (error, responses) => {
      if (error) reject(error);
      else resolve(responses);
    });
  });

await operation('makes the tag of a release', async () => {
  await release();
  const tag = await read(`${project.base}/repository/tags/v1.0.0`);
  assert.deepEqual(
    [tag.message, tag.commit.id],
    ['Release v1.0.0', await git(clone, 'rev-parse', 'v1.0.0')],
  );
});
await operation('writes the notes of the release', async () => {
  const { release: made } = await read(`${project.base}/repository/tags/v1.0.0`);
  assert.match(made.description, /ring/);
});
