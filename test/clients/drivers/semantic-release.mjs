// semantic-release with @semantic-release/gitlab: verifies, tags, publishes, and reports a release that fails.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { folder, operation, read, token, url } from '../support/operations.mjs';
import { git, remoteOf, runProgram } from '../support/programs.mjs';
import { makeProject } from '../support/projects.mjs';

const { equal, deepEqual, match } = assert;

const FAILING = `module.exports = {
  publish() {
    throw Object.assign(new Error('No fuel'), { semanticRelease: true, code: 'ENOFUEL' });
  },
};`;

/** A project with one feature to be released, and a clone of it. @param plugins come before the one of GitLab */
async function begin(name, plugins = []) {
  const project = await makeProject(name);
  const clone = path.join(process.env.HOME, name);
  const config = {
    ...{ branches: ['main'], repositoryUrl: remoteOf(project.path) },
    plugins: [
      '@semantic-release/commit-analyzer',
      '@semantic-release/release-notes-generator',
      ...plugins,
      ['@semantic-release/gitlab', { gitlabUrl: url }],
    ],
  };
  await git(process.env.HOME, 'init', '--quiet', '--initial-branch=main', clone);
  await writeFile(path.join(clone, '.releaserc.json'), JSON.stringify(config));
  await writeFile(path.join(clone, 'package.json'), `{"name":"${name}","version":"0.0.0"}`);
  await writeFile(path.join(clone, 'failing.cjs'), FAILING);
  await git(clone, 'remote', 'add', 'origin', remoteOf(project.path));
  await commit(clone, 'feat: begin');
  return { ...project, clone };
}

async function commit(clone, message) {
  await git(clone, 'add', '--all');
  await git(clone, 'commit', '--quiet', '--allow-empty', '--message', message);
  await git(clone, 'push', '--quiet', 'origin', 'main');
}

const release = ({ clone }, ...options) =>
  runProgram(
    path.join(folder, 'node_modules', '.bin', 'semantic-release'),
    ['--no-ci', ...options],
    {
      cwd: clone,
      env: { GITLAB_TOKEN: token, GITLAB_URL: url },
    },
  );

const project = await begin('rocket');

await operation('verifies that it may release', async () => {
  match(await release(project, '--dry-run'), /next release version is 1\.0\.0/);
});
await operation('publishes a release', async () => {
  await release(project);
  equal((await read(`${project.base}/releases/v1.0.0`)).tag_name, 'v1.0.0');
});
await operation('pushes the tag of the release', async () => {
  const head = await git(project.clone, 'rev-parse', 'HEAD');
  equal((await read(`${project.base}/repository/tags/v1.0.0`)).commit.id, head);
});
await operation('pushes its notes', async () => {
  match(await git(project.clone, 'ls-remote', 'origin'), /refs\/notes\/semantic-release/);
});
await operation('reports a release that fails in an issue', async () => {
  const failing = await begin('balloon', ['./failing.cjs']);
  await assert.rejects(release(failing));
  const issues = await read(`${failing.base}/issues`);
  deepEqual(
    issues.map(({ title }) => title.replace(/ \P{ASCII}+$/u, '')),
    ['The automated release is failing'],
  );
});
