// @modelcontextprotocol/server-gitlab: each of its tools, called as an assistant does.
import assert from 'node:assert/strict';
import { call, operation, read, token, url, username, write } from '../support/operations.mjs';
import { McpServer } from '../support/mcp.mjs';

const { equal, deepEqual } = assert;
const server = await McpServer.start(['mcp-server-gitlab'], {
  GITLAB_PERSONAL_ACCESS_TOKEN: token,
  GITLAB_API_URL: `${url}/api/v4`,
});
const project = `${username}/notebook`;
const base = `/projects/${encodeURIComponent(project)}`;
const raw = async (file, ref) =>
  (await call('GET', `${base}/repository/files/${encodeURIComponent(file)}/raw?ref=${ref}`)).text;

await operation('create_repository', async () => {
  await server.call('create_repository', { name: 'notebook', visibility: 'private' });
  equal((await read(base)).path_with_namespace, project);
});
await operation('search_repositories', async () => {
  const { count, items } = await server.call('search_repositories', { search: 'notebook' });
  deepEqual([count, items.map((item) => item.path_with_namespace)], [1, [project]]);
});
await operation('create_or_update_file', () =>
  server.call('create_or_update_file', {
    ...{ project_id: project, file_path: 'README.md', content: '# Notes\n' },
    ...{ commit_message: 'Begin', branch: 'main' },
  }),
);
await operation('create_or_update_file writes the file', async () => {
  equal(await raw('README.md', 'main'), '# Notes\n');
});
await operation('get_file_contents', async () => {
  const file = await server.call('get_file_contents', {
    project_id: project,
    file_path: 'README.md',
  });
  equal(file.content, '# Notes\n');
});
await operation('create_branch', async () => {
  await server.call('create_branch', { project_id: project, branch: 'draft', ref: 'main' });
  equal((await read(`${base}/repository/branches/draft`)).name, 'draft');
});
await operation('push_files', async () => {
  await server.call('push_files', {
    ...{ project_id: project, branch: 'draft', commit_message: 'Add pages' },
    files: [
      { file_path: 'pages/one.md', content: 'One\n' },
      { file_path: 'pages/two.md', content: 'Two\n' },
    ],
  });
  equal(await raw('pages/two.md', 'draft'), 'Two\n');
});
await operation('create_issue', async () => {
  const issue = await server.call('create_issue', {
    ...{ project_id: project, title: 'A page is missing', description: 'The third' },
  });
  equal((await read(`${base}/issues/${issue.iid}`)).title, 'A page is missing');
});
await operation('create_issue makes the issue', async () => {
  const issues = await read(`${base}/issues`);
  deepEqual(
    issues.map(({ description }) => description),
    ['The third'],
  );
});
await operation('create_merge_request', async () => {
  const request = await server.call('create_merge_request', {
    ...{ project_id: project, title: 'Add pages', description: 'Two of them' },
    ...{ source_branch: 'draft', target_branch: 'main' },
  });
  equal((await read(`${base}/merge_requests/${request.iid}`)).source_branch, 'draft');
});
await operation('create_merge_request makes the request', async () => {
  const requests = await read(`${base}/merge_requests`);
  deepEqual(
    requests.map((request) => request.source_branch),
    ['draft'],
  );
});
const group = await write('POST', '/groups', { name: 'Shelf', path: 'shelf' });
await operation('fork_repository', () =>
  server.call('fork_repository', { project_id: project, namespace: group.full_path }),
);
await operation('fork_repository makes the fork', async () => {
  const { forked_from_project: source } = await read('/projects/shelf%2Fnotebook');
  equal(source.path_with_namespace, project);
});
server.stop();
