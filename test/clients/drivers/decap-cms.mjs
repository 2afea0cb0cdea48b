// Decap CMS in a browser, on a page of another origin: its backend for GitLab reads and writes entries and media, and takes an
// entry through its editorial workflow.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { chromium } from 'playwright-core';
import {
  operation,
  read,
  requireThere,
  statusOf,
  token,
  url,
  write,
} from '../support/operations.mjs';
import { makeProject } from '../support/projects.mjs';

const { deepEqual, equal, match, rejects } = assert;
const SCRIPT = path.join(path.dirname(requireThere.resolve('decap-cms/package.json')), 'dist');
const PAGE = `<!doctype html><meta charset="utf-8"><title>CMS</title>
  <body><script>window.CMS_MANUAL_INIT = true</script><script src="/decap-cms.js"></script>`;

/** Serves the page of the CMS, which has no more than its script. */
async function serve() {
  const server = http.createServer((request, response) => {
    const name = path.basename(new URL(request.url, url).pathname);
    if (name.endsWith('.js')) {
      response.setHeader('content-type', 'text/javascript');
      createReadStream(path.join(SCRIPT, name)).pipe(response);
    } else {
      response.setHeader('content-type', 'text/html');
      response.end(PAGE);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const project = await makeProject('site', { 'posts/first.md': '---\ntitle: First\n---\nHello\n' });
const server = await serve();
// Its sandbox needs privileges that containers withhold; it opens the driver's own page only.
const browser = await chromium.launch({
  executablePath: process.env.CLIENT_BROWSER,
  args: ['--no-sandbox'],
});
const page = await browser.newPage();
await page.goto(`http://127.0.0.1:${server.address().port}/`);

/** Begins a session of the backend in the page. */
function signIn(as, workflow = 'draft') {
  return page.evaluate(
    async ([config, credentials, initialWorkflowStatus]) => {
      const { init } = globalThis.CMS.getBackend('gitlab');
      globalThis.backend = init(config, { initialWorkflowStatus, useWorkflow: true });
      const { login } = await globalThis.backend.authenticate({ token: credentials });
      return login;
    },
    [
      {
        backend: { repo: project.path, branch: 'main', api_root: `${url}/api/v4` },
        media_folder: 'pictures',
      },
      as,
      workflow,
    ],
  );
}

/** Calls a method of the backend. @returns what can be carried out of the page */
const ask = (method, ...args) =>
  page.evaluate(async ([name, given]) => globalThis.backend[name](...given), [method, args]);

const entry = (slug, raw) => ({
  dataFiles: [{ path: `posts/${slug}.md`, slug, raw, newFile: true }],
  assets: [],
});
const raw = async (file, ref = 'main') => {
  const route = `${project.base}/repository/files/${encodeURIComponent(file)}?ref=${ref}`;
  return Buffer.from((await read(route)).content, 'base64').toString();
};
const requests = () => read(`${project.base}/merge_requests?state=opened`);

await operation('refuses a token that is unknown', () => rejects(signIn('of-nobody-at-all')));
await operation('signs in with the right to write', async () => {
  equal(await signIn(token), (await read('/user')).username);
});
await operation('lists entries', async () => {
  const entries = await ask('entriesByFolder', 'posts', 'md', 1);
  deepEqual(
    entries.map(({ file, data }) => [file.path, data]),
    [['posts/first.md', '---\ntitle: First\n---\nHello\n']],
  );
});
await operation('writes an entry', async () => {
  await ask('persistEntry', entry('second', 'Second\n'), {
    ...{ commitMessage: 'Create second', collectionName: 'posts', newEntry: true },
  });
  equal(await raw('posts/second.md'), 'Second\n');
});
await operation('changes an entry', async () => {
  const changed = entry('second', 'Second, changed\n');
  delete changed.dataFiles[0].newFile;
  await ask('persistEntry', changed, { commitMessage: 'Update', collectionName: 'posts' });
  equal(await raw('posts/second.md'), 'Second, changed\n');
});
await operation('uploads and lists a picture', async () => {
  await page.evaluate(async () => {
    const fileObj = new globalThis.File(['<svg xmlns="http://www.w3.org/2000/svg"/>'], 'dot.svg');
    const toBase64 = () =>
      Promise.resolve(globalThis.btoa('<svg xmlns="http://www.w3.org/2000/svg"/>'));
    const media = { path: 'pictures/dot.svg', fileObj, toBase64, newFile: true };
    await globalThis.backend.persistMedia(media, { commitMessage: 'Upload dot' });
  });
  match(await raw('pictures/dot.svg'), /^<svg/);
  const media = await ask('getMedia');
  deepEqual(
    media.map(({ name }) => name),
    ['dot.svg'],
  );
});
await operation('deletes an entry', async () => {
  await ask('deleteFiles', ['posts/second.md'], 'Delete second');
  const route = `${project.base}/repository/files/${encodeURIComponent('posts/second.md')}`;
  equal(await statusOf(`${route}?ref=main`), 404);
});
await operation('proposes an entry', async () => {
  await ask('persistEntry', entry('third', 'Third\n'), {
    ...{ commitMessage: 'Create third', collectionName: 'posts', useWorkflow: true },
    ...{ newEntry: true, status: 'draft' },
  });
  const [request, ...others] = await requests();
  equal(others.length, 0);
  deepEqual([request.source_branch, request.labels], ['cms/posts/third', ['decap-cms/draft']]);
  equal(await raw('posts/third.md', 'cms%2Fposts%2Fthird'), 'Third\n');
});
await operation('lists proposed entries', async () => {
  deepEqual(await ask('unpublishedEntries'), ['posts/third']);
  const proposed = await ask('unpublishedEntry', { collection: 'posts', slug: 'third' });
  deepEqual(
    [proposed.status, proposed.diffs.map(({ path: file }) => file)],
    ['draft', ['posts/third.md']],
  );
});
await operation('changes a proposed entry', async () => {
  await ask('persistEntry', entry('third', 'Third, changed\n'), {
    ...{ commitMessage: 'Update third', collectionName: 'posts', useWorkflow: true },
    unpublished: true,
  });
  equal(await raw('posts/third.md', 'cms%2Fposts%2Fthird'), 'Third, changed\n');
});
await operation('shows the preview that a build has reported', async () => {
  const [{ sha }] = await requests();
  const preview = { name: 'deploy preview', state: 'success', target_url: 'https://example.com/3' };
  await write('POST', `${project.base}/statuses/${sha}`, preview);
  const { url: address, status } = await ask('getDeployPreview', 'posts', 'third');
  deepEqual([address, status], ['https://example.com/3', 'success']);
});
await operation('takes notes on a proposed entry', async () => {
  await ask('addNote', 'posts', 'third', { content: 'Needs a picture' }, 'Third');
  const [note] = await ask('getNotes', 'posts', 'third');
  deepEqual([note.content, note.isOwn, note.resolved], ['Needs a picture', true, false]);
  await ask('toggleNoteResolution', 'posts', 'third', note.id);
  equal((await ask('getNotes', 'posts', 'third'))[0].resolved, true);
});
await operation('moves a proposed entry on', async () => {
  await ask('updateUnpublishedEntryStatus', 'posts', 'third', 'pending_publish');
  deepEqual((await requests())[0].labels, ['decap-cms/pending_publish']);
});
await operation('publishes a proposed entry', async () => {
  await ask('publishUnpublishedEntry', 'posts', 'third');
  equal(await raw('posts/third.md'), 'Third, changed\n');
  deepEqual(await requests(), []);
  const branches = await read(`${project.base}/repository/branches`);
  deepEqual(
    branches.map(({ name }) => name),
    ['main'],
  );
});
await operation('drops a proposed entry', async () => {
  await ask('persistEntry', entry('fourth', 'Fourth\n'), {
    ...{ commitMessage: 'Create fourth', collectionName: 'posts', useWorkflow: true },
    ...{ newEntry: true, status: 'draft' },
  });
  await ask('deleteUnpublishedEntry', 'posts', 'fourth');
  deepEqual(await requests(), []);
  deepEqual(await ask('unpublishedEntries'), []);
});
await browser.close();
server.closeAllConnections();
server.close();
