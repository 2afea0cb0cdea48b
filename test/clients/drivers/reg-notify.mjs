// reg-notify-gitlab-plugin: comments the result of a comparison of pictures, as reg-suit has it do.
import assert from 'node:assert/strict';
import { operation, read, requireThere, token, url, write } from '../support/operations.mjs';
import { commit, makeProject } from '../support/projects.mjs';

const { deepEqual, equal, match } = assert;
const makePlugin = requireThere('reg-notify-gitlab-plugin');
const { RegLogger } = requireThere('reg-suit-util');
const logger = new RegLogger();
logger.setLevel('silent');

const project = await makeProject('gallery', { 'frame.txt': 'gold\n' });
await write('POST', `${project.base}/repository/branches`, { branch: 'silver', ref: 'main' });
const { id: actualKey } = await commit(project.id, 'silver', 'Silver the frame', [
  { action: 'update', file_path: 'frame.txt', content: 'silver\n' },
]);
const request = await write('POST', `${project.base}/merge_requests`, {
  ...{ source_branch: 'silver', target_branch: 'main', title: 'Silver the frame' },
  description: 'It was too loud.',
});
const base = `${project.base}/merge_requests/${request.iid}`;

async function notify(commentTo, failedItems) {
  const { notifier: plugin } = makePlugin();
  plugin.init({
    ...{ logger, noEmit: false },
    options: { privateToken: token, gitlabUrl: url, projectId: String(project.id), commentTo },
  });
  await plugin.notify({
    ...{ actualKey, reportUrl: 'https://pictures.example.com/report' },
    comparisonResult: { failedItems, newItems: [], deletedItems: [], passedItems: ['wall.png'] },
  });
}

async function notes() {
  return (await read(`${base}/notes?sort=asc`)).filter(({ system }) => !system);
}

await operation('comments a difference', async () => {
  await notify('note', ['frame.png']);
  const [note] = await notes();
  match(note.body, /visual differences[^]*report/);
});
await operation('edits its comment', async () => {
  const [before] = await notes();
  await notify('note', []);
  const [after, ...others] = await notes();
  deepEqual([after.id, others.length], [before.id, 0]);
  match(after.body, /no visual difference/);
});
await operation('keeps its result in the description', async () => {
  await notify('description', ['frame.png']);
  const { description } = await read(base);
  match(description, /^It was too loud\.[^]*visual differences/);
});
await operation('begins a thread', async () => {
  const [{ id }] = await notes();
  await write('DELETE', `${base}/notes/${id}`);
  await notify('discussion', ['frame.png']);
  const threads = (await read(`${base}/discussions`)).filter(({ notes: [note] }) => !note.system);
  equal(threads.length, 1);
  deepEqual([threads[0].individual_note, threads[0].notes[0].resolvable], [false, true]);
});
