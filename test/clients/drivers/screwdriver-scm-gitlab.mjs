// screwdriver-scm-gitlab: what a build server of Screwdriver asks and reports, by the methods that it calls.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import {
  operation,
  read,
  requireThere,
  token,
  url,
  username,
  write,
} from '../support/operations.mjs';
import { commit, makeProject } from '../support/projects.mjs';

const { equal, deepEqual } = assert;
/** It builds addresses from the name of a host, without a port; Linux has all of 127.0.0.0/8. */
const HOST = '127.77.0.1';

/** Passes on connections to the service. */
async function relay() {
  const server = net.createServer((socket) => {
    const upstream = net.connect(Number(new URL(url).port), '127.0.0.1');
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ]) {
      one.pipe(other);
      one.on('error', () => other.destroy());
    }
  });
  server.listen(80, HOST);
  await once(server, 'listening');
  return server;
}

const server = await relay();
const GitlabScm = requireThere('screwdriver-scm-gitlab');
const scm = new GitlabScm({
  ...{ gitlabProtocol: 'http', gitlabHost: HOST, username, commentUserToken: token },
  ...{ oauthClientId: 'none', oauthClientSecret: 'none' },
});
const project = await makeProject('robot', { 'screwdriver.yaml': 'jobs: {}\n' });
await write('POST', `${project.base}/repository/branches`, { branch: 'arm', ref: 'main' });
await commit(project.id, 'arm', 'Add an arm', [
  { action: 'create', file_path: 'arm.txt', content: 'long\n' },
]);
const request = await write('POST', `${project.base}/merge_requests`, {
  ...{ source_branch: 'arm', target_branch: 'main', title: 'Add an arm' },
});
const { commit: tip } = await read(`${project.base}/repository/branches/main`);
const scmUri = `${HOST}:${project.id}:main`;
const scmContext = `gitlab:${HOST}`;
const asked = { scmUri, scmContext, token };

await operation('parseUrl', async () => {
  const checkoutUrl = `git@${HOST}:${project.path}.git`;
  equal(await scm.parseUrl({ checkoutUrl, scmContext, token }), scmUri);
});
await operation('decorateUrl', async () => {
  const { name, branch } = await scm.decorateUrl(asked);
  deepEqual([name, branch], [project.path, 'main']);
});
await operation('decorateCommit', async () => {
  const { message, author } = await scm.decorateCommit({ ...asked, sha: tip.id });
  deepEqual([message, author.name], ['Begin', username]);
});
await operation('decorateAuthor', async () => {
  const author = await scm.decorateAuthor({ scmContext, token, username });
  equal(author.username, username);
});
await operation('getPermissions', async () => {
  deepEqual(await scm.getPermissions(asked), { admin: true, push: true, pull: true });
});
await operation('getCommitSha', async () => {
  equal(await scm.getCommitSha(asked), tip.id);
});
await operation('getFile', async () => {
  equal(await scm.getFile({ ...asked, path: 'screwdriver.yaml' }), 'jobs: {}\n');
});
await operation('addWebhook', async () => {
  const hooks = async () =>
    (await read(`${project.base}/hooks`)).map((hook) => [
      ...[hook.url, hook.push_events, hook.merge_requests_events],
    ]);
  const webhookUrl = 'http://127.0.0.1:9/screwdriver';
  const actions = ['push_events', 'merge_requests_events'];
  await scm.addWebhook({ ...asked, webhookUrl, actions });
  deepEqual(await hooks(), [[webhookUrl, true, true]]);
  // The second time it changes the hook that is there.
  await scm.addWebhook({ ...asked, webhookUrl, actions: ['push_events'] });
  deepEqual(await hooks(), [[webhookUrl, true, false]]);
});
await operation('updateCommitStatus', async () => {
  await scm.updateCommitStatus({
    ...asked,
    ...{ sha: tip.id, buildStatus: 'SUCCESS', jobName: 'main', pipelineId: 7 },
    url: 'https://cd.example.com/pipelines/7/builds/1',
  });
  const statuses = await read(`${project.base}/repository/commits/${tip.id}/statuses`);
  deepEqual(
    statuses.map(({ name, status }) => [name, status]),
    [['Screwdriver/7/main', 'success']],
  );
});
await operation('getOpenedPRs', async () => {
  const opened = await scm.getOpenedPRs(asked);
  deepEqual(
    opened.map(({ title }) => title),
    ['Add an arm'],
  );
});
await operation('getPrInfo', async () => {
  const { sha, prBranchName } = await scm.getPrInfo({ ...asked, prNum: request.iid });
  deepEqual([sha, prBranchName], [request.sha, 'arm']);
});
await operation('getChangedFiles', async () => {
  const files = await scm.getChangedFiles({
    ...{ ...asked, type: 'pr', prNum: request.iid, webhookConfig: null },
  });
  deepEqual(files, ['arm.txt']);
});
await operation('addPrComment', async () => {
  await scm.addPrComment({
    ...{ ...asked, jobName: 'main', prNum: request.iid, pipelineId: 7 },
    comments: [{ text: 'Built' }],
  });
  const notes = await read(`${project.base}/merge_requests/${request.iid}/notes`);
  deepEqual(
    notes.filter(({ system }) => !system).map(({ body }) => body),
    ['Built'],
  );
});
server.close();
process.exit(0);
