// The nodes that n8n has for GitLab: each operation of the one that acts, and the trigger with a delivery. Of n8n itself they get
// what they ask of it: parameters, credentials, requests.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import {
  operation,
  read,
  requireThere,
  statusOf,
  token,
  url,
  username,
} from '../support/operations.mjs';
import { makeProject } from '../support/projects.mjs';

const { deepEqual, equal, ok } = assert;
const NODES = 'n8n-nodes-base/dist/nodes/Gitlab';
const { Gitlab } = requireThere(`${NODES}/Gitlab.node.js`);
const { GitlabTrigger } = requireThere(`${NODES}/GitlabTrigger.node.js`);

const project = await makeProject('flow', { 'steps.txt': 'one\n' });
const owner = { owner: username, repository: 'flow', authentication: 'accessToken' };

/** Sends a request as n8n does, with the token of the credentials. */
async function send(_credentials, { method, uri, qs = {}, body = {}, resolveWithFullResponse }) {
  const address = new URL(uri);
  for (const [name, value] of Object.entries(qs)) address.searchParams.set(name, value);
  const carries = method !== 'GET' && Object.keys(body).length > 0;
  const response = await fetch(address, {
    method,
    headers: { 'private-token': token, 'content-type': 'application/json' },
    ...(carries ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) {
    const error = new Error(`${response.status} - ${text}`);
    throw Object.assign(error, { statusCode: response.status });
  }
  const answer = text === '' ? {} : JSON.parse(text);
  if (resolveWithFullResponse !== true) return answer;
  return { body: answer, headers: Object.fromEntries(response.headers) };
}

/** What a node asks of n8n. @param parameters as the editor of n8n holds them */
function contextOf(parameters, more = {}) {
  return {
    getInputData: () => [{ json: {} }],
    getNode: () => ({ name: 'GitLab', type: 'n8n-nodes-base.gitlab', parameters }),
    getNodeParameter(name, index, fallback) {
      const value = { ...owner, ...parameters }[name];
      if (value !== undefined) return value;
      if (fallback !== undefined) return fallback;
      throw new Error(`The node asks for ${name}, which the driver does not set`);
    },
    getCredentials: () => Promise.resolve({ server: url, accessToken: token }),
    continueOnFail: () => false,
    helpers: {
      requestWithAuthentication: send,
      returnJsonArray: (data) => [data].flat().map((json) => ({ json })),
      constructExecutionMetaData: (items) => items,
    },
    ...more,
  };
}

/** Runs the node once. @returns what it passes on */
async function act(resource, name, parameters = {}) {
  const context = contextOf({ resource, operation: name, ...parameters });
  const [items] = await new Gitlab().execute.call(context);
  return items.map(({ json }) => json);
}

async function issues() {
  const issue = await operation('creates an issue', async () => {
    const [made] = await act('issue', 'create', {
      ...{ title: 'Step two', body: 'It is missing.', due_date: '2030-01-02' },
      ...{ labels: [{ label: 'flow' }, { label: 'step' }], assignee_ids: [{ assignee: 1 }] },
    });
    const row = await read(`${project.base}/issues/${made.iid}`);
    deepEqual([row.title, row.due_date, row.labels], ['Step two', '2030-01-02', ['flow', 'step']]);
    return made;
  });
  await operation('comments on an issue', async () => {
    const [note] = await act('issue', 'createComment', {
      ...{ issueNumber: issue.iid, body: 'It is on its way.' },
    });
    const notes = await read(`${project.base}/issues/${issue.iid}/notes?sort=asc`);
    ok(notes.some(({ id, body }) => id === note.id && body === 'It is on its way.'));
  });
  await operation('edits an issue', async () => {
    await act('issue', 'edit', {
      issueNumber: issue.iid,
      editFields: { title: 'Step three', labels: [{ label: 'late' }], state_event: 'close' },
    });
    const row = await read(`${project.base}/issues/${issue.iid}`);
    deepEqual([row.title, row.labels, row.state], ['Step three', ['late'], 'closed']);
  });
  await operation('gets an issue', async () => {
    const [row] = await act('issue', 'get', { issueNumber: issue.iid });
    equal(row.id, issue.id);
  });
  await operation('locks an issue', async () => {
    await act('issue', 'lock', { issueNumber: issue.iid });
    equal((await read(`${project.base}/issues/${issue.iid}`)).discussion_locked, true);
  });
  await operation('lists the issues of a project', async () => {
    const rows = await act('repository', 'getIssues', {
      ...{ returnAll: true, getRepositoryIssuesFilters: { state: 'closed', labels: 'late' } },
    });
    deepEqual(
      rows.map(({ id }) => id),
      [issue.id],
    );
  });
}

async function files() {
  const common = { branch: 'main', additionalParameters: {}, binaryData: false };
  const content = async () => {
    const { content: base64 } = await read(`${project.base}/repository/files/two.txt?ref=main`);
    return Buffer.from(base64, 'base64').toString();
  };
  await operation('creates a file', async () => {
    await act('file', 'create', {
      ...{ ...common, filePath: 'two.txt', fileContent: 'two\n', commitMessage: 'Add two' },
    });
    equal(await content(), 'two\n');
  });
  await operation('edits a file', async () => {
    await act('file', 'edit', {
      ...{ ...common, filePath: 'two.txt', fileContent: 'three\n', commitMessage: 'Add three' },
    });
    equal(await content(), 'three\n');
  });
  await operation('gets a file', async () => {
    const [file] = await act('file', 'get', {
      ...{ filePath: 'two.txt', additionalParameters: { reference: 'main' } },
    });
    equal(Buffer.from(file.content, 'base64').toString(), 'three\n');
  });
  await operation('lists files', async () => {
    const rows = await act('file', 'list', {
      ...{ filePath: '', additionalParameters: { ref: 'main' }, returnAll: true },
    });
    deepEqual(
      rows.map(({ path }) => path),
      ['steps.txt', 'two.txt'],
    );
  });
  await operation('deletes a file', async () => {
    await act('file', 'delete', { ...common, filePath: 'two.txt', commitMessage: 'Remove three' });
    equal(await statusOf(`${project.base}/repository/files/two.txt?ref=main`), 404);
  });
}

async function releases() {
  const named = { projectId: String(project.id), tag_name: 'v1' };
  await operation('creates a release', async () => {
    const additionalFields = { name: 'One', description: 'First', ref: 'main' };
    await act('release', 'create', { releaseTag: 'v1', additionalFields });
    equal((await read(`${project.base}/releases/v1`)).name, 'One');
  });
  await operation('updates a release', async () => {
    await act('release', 'update', { ...named, additionalFields: { name: 'The first' } });
    equal((await read(`${project.base}/releases/v1`)).name, 'The first');
  });
  await operation('gets a release', async () => {
    const [release] = await act('release', 'get', named);
    equal(release.name, 'The first');
  });
  await operation('lists releases', async () => {
    const rows = await act('release', 'getAll', {
      ...{ ...named, returnAll: true, additionalFields: { order_by: 'created_at' } },
    });
    deepEqual(
      rows.map(({ tag_name: tag }) => tag),
      ['v1'],
    );
  });
  await operation('deletes a release', async () => {
    await act('release', 'delete', named);
    equal(await statusOf(`${project.base}/releases/v1`), 404);
  });
}

async function trigger() {
  const deliveries = [];
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    deliveries.push({ headers: request.headers, body: JSON.parse(body) });
    response.end();
    server.emit('delivered');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${server.address().port}/webhook`;
  const data = {};
  const { checkExists, create, delete: remove } = new GitlabTrigger().webhookMethods.default;
  const context = contextOf(
    { events: ['*'] },
    { getWorkflowStaticData: () => data, getNodeWebhookUrl: () => address },
  );
  await operation('starts to listen', async () => {
    equal(await checkExists.call(context), false);
    await create.call(context);
    equal((await read(`${project.base}/hooks/${data.webhookId}`)).url, address);
    equal(await checkExists.call(context), true);
  });
  await operation('begins a flow with a delivery', async () => {
    const delivered = once(server, 'delivered', { signal: AbortSignal.timeout(60_000) });
    await act('issue', 'create', {
      ...{ title: 'Begin', body: '', due_date: '', labels: [], assignee_ids: [] },
    });
    await delivered;
    const [{ headers, body }] = deliveries;
    const started = await new GitlabTrigger().webhook.call({
      ...context,
      getHeaderData: () => headers,
      getBodyData: () => body,
      getQueryData: () => ({}),
    });
    const [[{ json }]] = started.workflowData;
    equal(json.body.object_attributes.title, 'Begin');
  });
  await operation('stops to listen', async () => {
    const { webhookId } = data;
    equal(await remove.call(context), true);
    equal(await statusOf(`${project.base}/hooks/${webhookId}`), 404);
    equal(await checkExists.call(context), false);
  });
  server.closeAllConnections();
  server.close();
}

await operation('gets a project', async () => {
  const [row] = await act('repository', 'get');
  equal(row.id, project.id);
});
await operation('lists the projects of a user', async () => {
  const rows = await act('user', 'getRepositories');
  deepEqual(
    rows.map(({ id }) => id),
    [project.id],
  );
});
await issues();
await files();
await releases();
await trigger();
