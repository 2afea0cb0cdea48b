// changesets-gitlab: reminds a merge request of its changeset, proposes the next versions, and makes releases of them.
import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { folder, operation, read, token, url, username, write } from '../support/operations.mjs';
import { cloneOf, git, runProgram } from '../support/programs.mjs';
import { commit, makeProject } from '../support/projects.mjs';

const { deepEqual, equal, match } = assert;
const bin = path.join(folder, 'node_modules', '.bin');

const project = await makeProject('orchard');
const clone = await cloneOf(project);
for (const name of ['apple', 'pear']) {
  const home = path.join(clone, 'packages', name);
  await mkdir(home, { recursive: true });
  const content = { name: `@orchard/${name}`, version: '1.0.0' };
  await writeFile(path.join(home, 'package.json'), JSON.stringify(content));
}
await mkdir(path.join(clone, '.changeset'));
await writeFile(
  path.join(clone, '.changeset', 'config.json'),
  '{"baseBranch":"main","changelog":"@changesets/cli/changelog"}',
);
await writeFile(path.join(clone, '.gitignore'), 'node_modules\n');
await writeFile(path.join(clone, 'package-lock.json'), '{"lockfileVersion":3,"packages":{}}');
await writeFile(
  path.join(clone, 'package.json'),
  '{"name":"orchard","private":true,"workspaces":["packages/*"]}',
);
await symlink(path.join(folder, 'node_modules'), path.join(clone, 'node_modules'));
await git(clone, 'add', '--all');
await git(clone, 'commit', '--quiet', '--message', 'Begin');
await git(clone, 'push', '--quiet', '--set-upstream', 'origin', 'main');

await write('POST', `${project.base}/repository/branches`, { branch: 'juice', ref: 'main' });
await commit(project.id, 'juice', 'Press apples', [
  { action: 'create', file_path: 'packages/apple/press.js', content: 'export default 1;\n' },
]);
const request = await write('POST', `${project.base}/merge_requests`, {
  ...{ source_branch: 'juice', target_branch: 'main', title: 'Press apples' },
});
const base = `${project.base}/merge_requests/${request.iid}`;

/** Runs the client as in a build. @param env of a merge request or of the default branch */
const run = (args, env) =>
  runProgram(path.join(bin, 'changesets-gitlab'), args, {
    cwd: clone,
    env: {
      ...{ CI: 'true', GITLAB_CI: 'true', GITLAB_HOST: url, GITLAB_TOKEN: token },
      ...{ GITLAB_CI_USER_NAME: username, CI_PROJECT_ID: String(project.id) },
      ...{ CI_PROJECT_PATH: project.path, PATH: `${bin}${path.delimiter}${process.env.PATH}` },
      ...env,
    },
  });

async function comment() {
  const { sha, title, source_branch: branch } = await read(base);
  await run(['comment'], {
    ...{ CI_MERGE_REQUEST_IID: String(request.iid), CI_MERGE_REQUEST_TITLE: title },
    ...{ CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: branch, CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: sha },
    CI_MERGE_REQUEST_PROJECT_URL: `${url}/${project.path}`,
  });
  const discussions = await read(`${base}/discussions`);
  return discussions.filter(({ notes }) => !notes[0].system);
}

const onMain = { CI_COMMIT_REF_NAME: 'main' };
const proposals = async () =>
  read(`${project.base}/merge_requests?state=opened&source_branch=changeset-release/main`);

await operation('reminds a merge request of its changeset in a thread', async () => {
  const [thread, ...others] = await comment();
  equal(others.length, 0);
  match(thread.notes[0].body, /No Changeset found[^]*@orchard\/apple/);
});
await operation('resolves the thread once there is a changeset', async () => {
  await commit(project.id, 'juice', 'Add a changeset', [
    {
      ...{ action: 'create', file_path: '.changeset/sweet-juice.md' },
      content: '---\n"@orchard/apple": minor\n---\n\nPress apples\n',
    },
  ]);
  const [thread, ...others] = await comment();
  equal(others.length, 0);
  const [note] = thread.notes;
  match(note.body, /Changeset detected/);
  equal(note.resolved, true);
});
await operation('proposes the next versions', async () => {
  await write('PUT', `${base}/merge`);
  await git(clone, 'pull', '--quiet', 'origin', 'main');
  await run([], { ...onMain, INPUT_LABELS: 'release' });
  const [proposal, ...others] = await proposals();
  equal(others.length, 0);
  deepEqual([proposal.title, proposal.labels], ['Version Packages', ['release']]);
  match(proposal.description, /@orchard\/apple@1\.1\.0[^]*Press apples/);
});
await operation('updates its proposal', async () => {
  const [before] = await proposals();
  await git(clone, 'checkout', '--quiet', 'main');
  await commit(project.id, 'main', 'Pick pears', [
    {
      ...{ action: 'create', file_path: '.changeset/ripe-pears.md' },
      content: '---\n"@orchard/pear": patch\n---\n\nPick pears\n',
    },
  ]);
  await git(clone, 'pull', '--quiet', 'origin', 'main');
  await run([], onMain);
  const [after] = await proposals();
  equal(after.iid, before.iid);
  match(after.description, /@orchard\/pear@1\.0\.1/);
});
await operation('makes a release of each version', async () => {
  const [{ iid }] = await proposals();
  await write('PUT', `${project.base}/merge_requests/${iid}/merge`);
  await git(clone, 'checkout', '--quiet', 'main');
  await git(clone, 'reset', '--hard', '--quiet');
  await git(clone, 'pull', '--quiet', 'origin', 'main');
  await writeFile(path.join(process.env.HOME, '.npmrc'), '');
  await run([], { ...onMain, INPUT_PUBLISH: 'changeset tag' });
  const releases = await read(`${project.base}/releases`);
  deepEqual(releases.map(({ tag_name: tag }) => tag).sort(), [
    '@orchard/apple@1.1.0',
    '@orchard/pear@1.0.1',
  ]);
  const apple = releases.find(({ tag_name: tag }) => tag.includes('apple'));
  match(apple.description, /Press apples/);
});
