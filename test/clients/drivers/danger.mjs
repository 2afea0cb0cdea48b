// Danger: reviews a merge request as a build does, with remarks on the whole and on a line, and takes back what is mended.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { folder, operation, read, token, url, write } from '../support/operations.mjs';
import { runProgram } from '../support/programs.mjs';
import { commit, makeProject } from '../support/projects.mjs';

const { deepEqual, equal, match, ok, rejects } = assert;

const project = await makeProject('cellar', { 'wine.txt': 'red\nwhite\n' });
await write('POST', `${project.base}/repository/branches`, { branch: 'sparkling', ref: 'main' });
await commit(project.id, 'sparkling', 'Add sparkling wine', [
  { action: 'update', file_path: 'wine.txt', content: 'red\nwhite\nsparkling\n' },
  { action: 'create', file_path: 'glasses.txt', content: 'six\n' },
]);
const request = await write('POST', `${project.base}/merge_requests`, {
  ...{ source_branch: 'sparkling', target_branch: 'main', title: 'Add sparkling wine' },
});
const base = `${project.base}/merge_requests/${request.iid}`;

/** Runs Danger as in a build of the merge request. @param rules the text of its file of rules */
async function review(rules) {
  const file = path.join(process.env.HOME, 'dangerfile.js');
  await writeFile(file, rules);
  const { sha } = await read(base);
  const program = path.join(folder, 'node_modules', '.bin', 'danger');
  return runProgram(program, ['ci', '--dangerfile', file, '--failOnErrors'], {
    env: {
      ...{ GITLAB_CI: 'true', DANGER_GITLAB_HOST: url, DANGER_GITLAB_API_TOKEN: token },
      ...{ CI_MERGE_REQUEST_IID: String(request.iid), CI_PROJECT_PATH: project.path },
      ...{ CI_COMMIT_SHA: sha },
    },
  });
}

/** What Danger has written, oldest first. */
async function remarks() {
  const notes = await read(`${base}/notes?sort=asc`);
  return notes.filter(({ system }) => !system);
}

await operation('reads the merge request, its files and its diffs', async () => {
  await review(`
    schedule(async () => {
      const { added } = await danger.git.diffForFile('wine.txt');
      message(JSON.stringify({
        title: danger.gitlab.mr.title,
        modified: danger.git.modified_files,
        created: danger.git.created_files,
        commits: danger.git.commits.map(({ message }) => message),
        approvals: danger.gitlab.approvals.approvals_required,
        added,
      }));
    });
  `);
  const [note] = await remarks();
  const [json] = /{.*}/.exec(note.body);
  deepEqual(JSON.parse(json), {
    ...{ title: 'Add sparkling wine', modified: ['wine.txt'], created: ['glasses.txt'] },
    ...{ commits: ['Add sparkling wine'], approvals: 0, added: '+sparkling' },
  });
});
await operation('reads a file of the source branch', async () => {
  await review(`
    schedule(async () => message(await danger.gitlab.utils.fileContents('glasses.txt')));
  `);
  const [note] = await remarks();
  match(note.body, /six/);
});
await operation('edits its remark instead of adding another', async () => {
  const [before] = await remarks();
  await review(`warn('Drink less');`);
  const [after, ...others] = await remarks();
  deepEqual([after.id, others.length], [before.id, 0]);
  match(after.body, /Drink less/);
});
await operation('fails the build for an error', async () => {
  await rejects(review(`fail('Drink nothing');`), /ended with 1/);
  const [note] = await remarks();
  match(note.body, /Drink nothing/);
});
await operation('comments on a line', async () => {
  await review(`warn('Too sweet', 'wine.txt', 3);`);
  const notes = await remarks();
  const note = notes.find(({ type }) => type === 'DiffNote');
  ok(note.body.includes('Too sweet'));
  deepEqual([note.position.new_path, note.position.new_line], ['wine.txt', 3]);
});
await operation('comments on a line once in two reviews', async () => {
  await review(`warn('Too sweet', 'wine.txt', 3);`);
  equal((await remarks()).filter(({ type }) => type === 'DiffNote').length, 1);
});
await operation('removes its remarks when all is well', async () => {
  await review('');
  const open = (await remarks()).filter(({ body }) => !/All.*(?:green|well)|resolved/i.test(body));
  equal(open.length, 0);
});
