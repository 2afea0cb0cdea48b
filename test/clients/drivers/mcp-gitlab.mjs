// @zereight/mcp-gitlab: its tools for projects, repositories, planning and review, called as an assistant does. It checks the
// fields and types of every answer itself.
import assert from 'node:assert/strict';
import {
  call,
  operation,
  read,
  statusOf,
  token,
  url,
  userId,
  username,
  write,
} from '../support/operations.mjs';
import { McpServer } from '../support/mcp.mjs';

const { equal, deepEqual, ok } = assert;
const server = await McpServer.start(['mcp-gitlab'], {
  ...{ GITLAB_PERSONAL_ACCESS_TOKEN: token, GITLAB_API_URL: `${url}/api/v4` },
  ...{ USE_MILESTONE: 'true', USE_PIPELINE: 'true' },
});
const project = `${username}/atlas`;
const base = `/projects/${encodeURIComponent(project)}`;
const repository = `${base}/repository`;
const tool = (name, parameters) => server.call(name, { project_id: project, ...parameters });
const raw = async (file, ref) =>
  (await call('GET', `${repository}/files/${encodeURIComponent(file)}/raw?ref=${ref}`)).text;
const ids = (rows) => rows.map(({ id }) => Number(id)).sort((one, other) => one - other);
/** Lists come as they are, or beside what there is to say of their page. */
const rowsOf = (answer) =>
  Array.isArray(answer) ? answer : Object.values(answer).find((value) => Array.isArray(value));

async function repositories() {
  await operation('whoami', async () =>
    equal((await server.call('whoami', {})).username, username),
  );
  await operation('create_repository', async () => {
    await server.call('create_repository', { name: 'atlas', visibility: 'private' });
    equal((await read(base)).visibility, 'private');
  });
  await operation('get_project', async () =>
    equal((await tool('get_project')).path_with_namespace, project),
  );
  await operation('search_repositories', async () => {
    const { items } = await server.call('search_repositories', { search: 'atlas' });
    deepEqual(
      items.map((item) => item.path_with_namespace),
      [project],
    );
  });
  await operation('list_projects', async () => {
    const projects = rowsOf(await server.call('list_projects', { owned: true }));
    deepEqual(ids(projects), ids(await read('/projects?owned=true')));
  });
  await operation('create_or_update_file', async () => {
    await tool('create_or_update_file', {
      ...{ file_path: 'README.md', content: '# Atlas\n', commit_message: 'Begin', branch: 'main' },
    });
    equal(await raw('README.md', 'main'), '# Atlas\n');
  });
  await operation('create_or_update_file, a second time', async () => {
    await tool('create_or_update_file', {
      ...{
        file_path: 'README.md',
        content: '# Big atlas\n',
        commit_message: 'Grow',
        branch: 'main',
      },
    });
    equal(await raw('README.md', 'main'), '# Big atlas\n');
  });
  await operation('get_file_contents', async () => {
    equal((await tool('get_file_contents', { file_path: 'README.md' })).content, '# Big atlas\n');
  });
  await operation('create_branch', async () => {
    await tool('create_branch', { branch: 'maps', ref: 'main' });
    equal((await read(`${repository}/branches/maps`)).name, 'maps');
  });
  await operation('push_files', async () => {
    const files = ['north', 'south'].map((name) => ({
      ...{ file_path: `maps/${name}.txt`, content: `${name}\n` },
    }));
    await tool('push_files', { branch: 'maps', commit_message: 'Add maps', files });
    equal(await raw('maps/south.txt', 'maps'), 'south\n');
  });
  await operation('get_branch', async () => {
    const branch = await tool('get_branch', { branch_name: 'maps' });
    equal(branch.commit.title, 'Add maps');
  });
  await operation('list_branches', async () => {
    const branches = rowsOf(await tool('list_branches'));
    deepEqual(branches.map(({ name }) => name).sort(), ['main', 'maps']);
  });
  await operation('get_repository_tree', async () => {
    const tree = rowsOf(await tool('get_repository_tree', { ref: 'maps', recursive: true }));
    deepEqual(tree.map(({ path }) => path).sort(), [
      ...['README.md', 'maps', 'maps/north.txt', 'maps/south.txt'],
    ]);
  });
  await operation('get_branch_diffs', async () => {
    const { diffs } = await tool('get_branch_diffs', { from: 'main', to: 'maps' });
    equal(diffs.length, 2);
  });
  const { commit } = await read(`${repository}/branches/maps`);
  await operation('list_commits', async () => {
    const commits = rowsOf(await tool('list_commits', { ref_name: 'maps' }));
    deepEqual(
      commits.map(({ title }) => title),
      ['Add maps', 'Grow', 'Begin'],
    );
  });
  await operation('get_commit', async () =>
    equal((await tool('get_commit', { sha: 'maps' })).id, commit.id),
  );
  await operation('get_commit_diff', async () => {
    equal(rowsOf(await tool('get_commit_diff', { sha: commit.id })).length, 2);
  });
  await operation('create_commit_status', async () => {
    await tool('create_commit_status', { sha: commit.id, state: 'success', name: 'print' });
    const statuses = await read(`${repository}/commits/${commit.id}/statuses`);
    deepEqual(
      statuses.map(({ name, status }) => [name, status]),
      [['print', 'success']],
    );
  });
  await operation('list_commit_statuses', async () => {
    const statuses = rowsOf(await tool('list_commit_statuses', { sha: commit.id }));
    deepEqual(
      statuses.map(({ name }) => name),
      ['print'],
    );
  });
  await operation('list_pipelines', async () => {
    deepEqual(
      rowsOf(await tool('list_pipelines')).map(({ sha }) => sha),
      [commit.id],
    );
  });
  await operation('get_file_blame', async () => {
    const [blame] = rowsOf(await tool('get_file_blame', { file_path: 'README.md', ref: 'main' }));
    deepEqual(blame.lines, ['# Big atlas']);
  });
}

async function planning() {
  const label = await operation('create_label', async () => {
    const made = await tool('create_label', { name: 'sea', color: '#0000ff' });
    deepEqual(ids(await read(`${base}/labels`)), ids([made]));
    return made;
  });
  await operation('update_label', async () => {
    await tool('update_label', { label_id: String(label.id), new_name: 'ocean' });
    equal((await read(`${base}/labels/${label.id}`)).name, 'ocean');
  });
  await operation('list_labels', async () => {
    deepEqual(
      rowsOf(await tool('list_labels')).map(({ name }) => name),
      ['ocean'],
    );
  });
  const milestone = await operation('create_milestone', async () => {
    const made = await tool('create_milestone', { title: 'Spring', due_date: '2027-03-20' });
    equal((await read(`${base}/milestones/${made.id}`)).due_date, '2027-03-20');
    return made;
  });
  await operation('edit_milestone', async () => {
    await tool('edit_milestone', { milestone_id: String(milestone.id), title: 'Thaw' });
    equal((await read(`${base}/milestones/${milestone.id}`)).title, 'Thaw');
  });
  await operation('list_milestones', async () => {
    deepEqual(ids(rowsOf(await tool('list_milestones'))), ids([milestone]));
  });
  const issue = await operation('create_issue', async () => {
    const made = await tool('create_issue', {
      ...{ title: 'An island is missing', labels: ['ocean'], milestone_id: String(milestone.id) },
    });
    const row = await read(`${base}/issues/${made.iid}`);
    deepEqual([row.title, row.labels], ['An island is missing', ['ocean']]);
    return made;
  });
  const named = { issue_iid: String(issue?.iid) };
  const route = `${base}/issues/${issue?.iid}`;
  await operation('get_issue', async () =>
    equal((await tool('get_issue', named)).title, 'An island is missing'),
  );
  await operation('list_issues', async () => {
    deepEqual(ids(rowsOf(await tool('list_issues', { scope: 'all' }))), ids([issue]));
  });
  await operation('my_issues', async () => {
    await write('PUT', route, { assignee_ids: [userId] });
    deepEqual(ids(rowsOf(await tool('my_issues'))), ids([issue]));
  });
  await operation('update_issue', async () => {
    await tool('update_issue', { ...named, description: 'In the south' });
    equal((await read(route)).description, 'In the south');
  });
  await operation('create_issue_note', async () => {
    await tool('create_issue_note', { ...named, body: 'Seen' });
    ok((await read(`${route}/notes`)).some(({ body }) => body === 'Seen'));
  });
  await operation('create_note', async () => {
    await tool('create_note', {
      noteable_type: 'issue',
      noteable_iid: String(issue.iid),
      body: 'Twice',
    });
    ok((await read(`${route}/notes`)).some(({ body }) => body === 'Twice'));
  });
  await operation('create_issue_emoji_reaction', async () => {
    await tool('create_issue_emoji_reaction', { ...named, name: 'thumbsup' });
    deepEqual(
      (await read(`${route}/award_emoji`)).map(({ name }) => name),
      ['thumbsup'],
    );
  });
  await operation('list_issue_discussions', async () => {
    const discussions = rowsOf(await tool('list_issue_discussions', named));
    ok(discussions.some(({ notes }) => notes[0].body === 'Seen'));
  });
  await operation('list_todos and mark_todo_done', async () => {
    const { id } = await write('POST', `${route}/todo`);
    ok(ids(rowsOf(await server.call('list_todos', {}))).includes(id));
    await server.call('mark_todo_done', { id: String(id) });
    ok(!ids(await read('/todos')).includes(id));
  });
}

async function review() {
  const request = await operation('create_merge_request', async () => {
    const made = await tool('create_merge_request', {
      ...{ title: 'Add maps', source_branch: 'maps', target_branch: 'main', labels: ['ocean'] },
    });
    equal((await read(`${base}/merge_requests/${made.iid}`)).source_branch, 'maps');
    return made;
  });
  const named = { merge_request_iid: String(request?.iid) };
  const route = `${base}/merge_requests/${request?.iid}`;
  await operation('get_merge_request', async () => {
    equal((await tool('get_merge_request', { source_branch: 'maps' })).title, 'Add maps');
  });
  await operation('list_merge_requests', async () => {
    deepEqual(ids(rowsOf(await tool('list_merge_requests', { state: 'opened' }))), ids([request]));
  });
  await operation('update_merge_request', async () => {
    await tool('update_merge_request', { ...named, description: 'Two of them' });
    equal((await read(route)).description, 'Two of them');
  });
  await operation('update_merge_request, of reviewers', async () => {
    await tool('update_merge_request', { ...named, reviewer_ids: [String(userId)] });
    deepEqual(ids((await read(route)).reviewers), [userId]);
  });
  await operation('get_merge_request_diffs', async () => {
    equal(rowsOf(await tool('get_merge_request_diffs', named)).length, 2);
  });
  await operation('list_merge_request_versions', async () => {
    equal(rowsOf(await tool('list_merge_request_versions', named)).length, 1);
  });
  await operation('get_merge_request_version', async () => {
    const [{ id }] = await read(`${route}/versions`);
    const { diffs } = await tool('get_merge_request_version', { ...named, version_id: String(id) });
    equal(diffs.length, 2);
  });
  await operation('create_merge_request_note', async () => {
    await tool('create_merge_request_note', { ...named, body: 'Nice' });
    ok((await read(`${route}/notes`)).some(({ body }) => body === 'Nice'));
  });
  await operation('get, update and delete_merge_request_note', async () => {
    const notes = rowsOf(await tool('get_merge_request_notes', named));
    const { id } = notes.find(({ body }) => body === 'Nice');
    await tool('update_merge_request_note', { ...named, note_id: String(id), body: 'Very nice' });
    equal((await read(`${route}/notes/${id}`)).body, 'Very nice');
    await tool('delete_merge_request_note', { ...named, note_id: String(id) });
    equal(await statusOf(`${route}/notes/${id}`), 404);
  });
  await operation('create_merge_request_thread', async () => {
    await tool('create_merge_request_thread', { ...named, body: 'Why?' });
    ok((await read(`${route}/discussions`)).some(({ notes }) => notes[0].body === 'Why?'));
  });
  await operation('get_merge_request_approval_state', async () => {
    const state = await tool('get_merge_request_approval_state', named);
    ok(typeof state === 'object');
  });
  await operation('merge_merge_request', async () => {
    await tool('merge_merge_request', { ...named, should_remove_source_branch: true });
    equal((await read(route)).state, 'merged');
  });
}

async function surroundings() {
  await operation('fork_repository', async () => {
    const group = await write('POST', '/groups', { name: 'Library', path: 'library' });
    await tool('fork_repository', { namespace: group.full_path });
    equal(
      (await read('/projects/library%2Fatlas')).forked_from_project.path_with_namespace,
      project,
    );
  });
  await operation('list_group_projects', async () => {
    const projects = rowsOf(await server.call('list_group_projects', { group_id: 'library' }));
    deepEqual(ids(projects), ids(await read('/groups/library/projects')));
  });
  await operation('list_namespaces', async () => {
    const namespaces = rowsOf(await server.call('list_namespaces', {}));
    ok(namespaces.some(({ path }) => path === username));
  });
  await operation('list_project_members', async () => {
    const members = rowsOf(await tool('list_project_members', { include_inheritance: true }));
    deepEqual(ids(members), [userId]);
  });
  await operation('get_users', async () => {
    const users = await server.call('get_users', { usernames: [username] });
    equal(users[username].id.toString(), String(userId));
  });
  await operation('get_project_events', async () => {
    const events = rowsOf(await tool('get_project_events'));
    ok(events.some(({ action_name: action }) => action === 'pushed new'));
  });
  await operation('delete_branch', async () => {
    await write('POST', `${repository}/branches`, { branch: 'side', ref: 'main' });
    await tool('delete_branch', { branch_name: 'side' });
    equal(await statusOf(`${repository}/branches/side`), 404);
  });
}

await repositories();
await planning();
await review();
await surroundings();
server.stop();
