// @gitbeaker/rest: accounts, groups, a project with its repository, planning, review, and what lists and deletions answer.
import assert from 'node:assert/strict';
import {
  adminToken,
  call,
  load,
  operation,
  read,
  statusOf,
  token,
  url,
  userId,
  username,
} from '../support/operations.mjs';

const { Gitlab } = await load('@gitbeaker/rest');
const client = new Gitlab({ host: url, token });
const admin = new Gitlab({ host: url, token: adminToken });
const asAdmin = { as: adminToken };
const KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFm3eHnQDZ0pLSHUe7hbyDrKP4Gq5VZdvJqk5HXc0z4m driver@example.com';
const { equal, deepEqual, ok } = assert;
const ids = (rows) => rows.map(({ id }) => id).sort((one, other) => one - other);

async function accounts() {
  await operation('shows the version', async () => {
    const { version } = await client.Metadata.show();
    equal(version, (await read('/version')).version);
  });
  await operation('shows the current user', async () => {
    const user = await client.Users.showCurrentUser();
    deepEqual([user.id, user.username], [userId, username]);
  });
  const mate = await operation('creates a user', async () => {
    const user = await admin.Users.create({
      ...{ username: 'beaker-mate', name: 'Mate', email: 'beaker-mate@example.com' },
      ...{ password: 'password of the mate', skipConfirmation: true },
    });
    equal((await read(`/users/${user.id}`, asAdmin)).name, 'Mate');
    return user;
  });
  await operation('edits a user', async () => {
    await admin.Users.edit(mate.id, { bio: 'Builds dams' });
    equal((await read(`/users/${mate.id}`, asAdmin)).bio, 'Builds dams');
  });
  await operation('finds a user by name', async () => {
    const users = await client.Users.all({ username: 'beaker-mate' });
    deepEqual(ids(users), [mate.id]);
  });
  await operation('blocks and unblocks a user', async () => {
    await admin.Users.block(mate.id);
    equal((await read(`/users/${mate.id}`, asAdmin)).state, 'blocked');
    await admin.Users.unblock(mate.id);
    equal((await read(`/users/${mate.id}`, asAdmin)).state, 'active');
  });
  await operation('acts in the name of another user', async () => {
    const sudo = new Gitlab({ host: url, token: adminToken, sudo: username });
    equal((await sudo.Users.showCurrentUser()).id, userId);
  });
  await operation('adds and removes an SSH key', async () => {
    const key = await client.UserSSHKeys.create('dam', KEY);
    deepEqual(ids(await read('/user/keys')), [key.id]);
    await client.UserSSHKeys.remove(key.id);
    deepEqual(await read('/user/keys'), []);
  });
  await operation('adds and removes an e-mail', async () => {
    const { id } = await client.UserEmails.create('beaver@example.com');
    // The primary address comes first.
    const [, ...added] = await read('/user/emails');
    deepEqual(ids(added), [id]);
    await client.UserEmails.remove(id);
    equal((await read('/user/emails')).length, 1);
  });
  return mate;
}

async function groups(mate) {
  const group = await operation('creates a group', async () => {
    const made = await client.Groups.create('Beavers', 'beavers', { visibility: 'public' });
    equal((await read(`/groups/${made.id}`)).full_path, 'beavers');
    return made;
  });
  await operation('edits a group', async () => {
    await client.Groups.edit(group.id, { description: 'They build' });
    equal((await read(`/groups/${group.id}`)).description, 'They build');
  });
  await operation('adds a member to a group', async () => {
    await client.GroupMembers.add(group.id, 20, { userId: mate.id });
    equal((await read(`/groups/${group.id}/members/${mate.id}`)).access_level, 20);
  });
  await operation('edits a member of a group', async () => {
    await client.GroupMembers.edit(group.id, mate.id, 30);
    equal((await read(`/groups/${group.id}/members/${mate.id}`)).access_level, 30);
  });
  await operation('lists groups', async () => {
    deepEqual(ids(await client.Groups.all({ search: 'beavers' })), [group.id]);
  });
  await operation('lists subgroups', async () => {
    deepEqual(await client.Groups.allSubgroups(group.id), []);
  });
  return group;
}

async function projects(group, mate) {
  const project = await operation('creates a project', async () => {
    const made = await client.Projects.create({
      ...{ name: 'Dam', path: 'dam', namespaceId: group.id, visibility: 'public' },
    });
    equal((await read(`/projects/${made.id}`)).path_with_namespace, 'beavers/dam');
    return made;
  });
  await operation('creates a project with a README', async () => {
    const made = await client.Projects.create({ name: 'Readable', initializeWithReadme: true });
    const tree = await read(`/projects/${made.id}/repository/tree`);
    deepEqual(
      tree.map(({ name }) => name),
      ['README.md'],
    );
  });
  const base = `/projects/${project?.id}`;
  await operation('shows a project by its path', async () => {
    equal((await client.Projects.show('beavers/dam')).id, project.id);
  });
  await operation('edits a project', async () => {
    await client.Projects.edit(project.id, { description: 'Of wood', mergeMethod: 'merge' });
    equal((await read(base)).description, 'Of wood');
  });
  await operation('sets the topics of a project', async () => {
    await client.Projects.edit(project.id, { topics: ['water'] });
    deepEqual((await read(base)).topics, ['water']);
  });
  await operation('lists projects of a group', async () => {
    deepEqual(ids(await client.Groups.allProjects(group.id)), [project.id]);
  });
  await operation('finds projects', async () => {
    deepEqual(ids(await client.Projects.all({ search: 'dam', owned: true })), [project.id]);
  });
  await operation('adds, edits and removes a member of a project', async () => {
    const route = `${base}/members/${mate.id}`;
    await client.ProjectMembers.add(project.id, 30, { userId: mate.id });
    equal((await read(route)).access_level, 30);
    await client.ProjectMembers.edit(project.id, mate.id, 40);
    equal((await read(route)).access_level, 40);
    await client.ProjectMembers.remove(project.id, mate.id);
    equal(await statusOf(route), 404);
  });
  await operation('lists inherited members', async () => {
    const members = await client.ProjectMembers.all(project.id, { includeInherited: true });
    ok(members.some(({ id, access_level: level }) => id === mate.id && level === 30));
  });
  await operation('stars and unstars a project', async () => {
    await client.Projects.star(project.id);
    equal((await read(base)).star_count, 1);
    await client.Projects.unstar(project.id);
    equal((await read(base)).star_count, 0);
  });
  await operation('adds, edits and removes a hook', async () => {
    const hook = await client.ProjectHooks.add(project.id, 'http://127.0.0.1:9/', {
      pushEvents: true,
      jobEvents: true,
    });
    const route = `${base}/hooks/${hook.id}`;
    equal((await read(route)).job_events, true);
    await client.ProjectHooks.edit(project.id, hook.id, 'http://127.0.0.1:9/new', {
      issuesEvents: true,
    });
    const { url: address, issues_events: issues } = await read(route);
    deepEqual([address, issues], ['http://127.0.0.1:9/new', true]);
    await client.ProjectHooks.remove(project.id, hook.id);
    equal(await statusOf(route), 404);
  });
  await operation('adds and removes a deploy key', async () => {
    const key = await client.DeployKeys.create(project.id, 'deploy', KEY, { canPush: true });
    const route = `${base}/deploy_keys/${key.id}`;
    equal((await read(route)).can_push, true);
    await client.DeployKeys.remove(project.id, key.id);
    equal(await statusOf(route), 404);
  });
  await operation('shares and unshares a project', async () => {
    const other = await client.Groups.create('Otters', 'otters');
    await client.Projects.share(project.id, other.id, 20);
    const shares = (await read(base)).shared_with_groups;
    deepEqual(
      shares.map(({ group_id: id, group_access_level: level }) => [id, level]),
      [[other.id, 20]],
    );
    await client.Projects.unshare(project.id, other.id);
    deepEqual((await read(base)).shared_with_groups, []);
    await client.Groups.remove(other.id);
  });
  return project;
}

async function repository(project) {
  const base = `/projects/${project?.id}/repository`;
  const raw = async (file, ref) => {
    const route = `${base}/files/${encodeURIComponent(file)}/raw?ref=${ref}`;
    return (await call('GET', route)).text;
  };
  const branch = project?.default_branch ?? 'main';
  await operation('creates a file', async () => {
    await client.RepositoryFiles.create(project.id, 'README.md', branch, '# Dam\n', 'Begin');
    equal(await raw('README.md', branch), '# Dam\n');
  });
  await operation('edits a file', async () => {
    await client.RepositoryFiles.edit(project.id, 'README.md', branch, '# Big dam\n', 'Grow');
    equal(await raw('README.md', branch), '# Big dam\n');
  });
  await operation('shows a file', async () => {
    const file = await client.RepositoryFiles.show(project.id, 'README.md', branch);
    equal(Buffer.from(file.content, 'base64').toString(), '# Big dam\n');
  });
  await operation('shows the raw text of a file', async () => {
    equal(await client.RepositoryFiles.showRaw(project.id, 'README.md', branch), '# Big dam\n');
  });
  await operation('creates a branch', async () => {
    await client.Branches.create(project.id, 'lodge', branch);
    equal((await read(`${base}/branches/lodge`)).name, 'lodge');
  });
  const commit = await operation('creates a commit of several actions', async () => {
    const made = await client.Commits.create(project.id, 'lodge', 'Build the lodge', [
      { action: 'create', filePath: 'lodge/door.txt', content: 'under water\n' },
      { action: 'create', filePath: 'lodge/roof.txt', content: 'mud\n' },
      { action: 'move', filePath: 'READ.md', previousPath: 'README.md' },
    ]);
    equal((await read(`${base}/branches/lodge`)).commit.id, made.id);
    equal(await raw('lodge/door.txt', 'lodge'), 'under water\n');
    return made;
  });
  await operation('lists branches', async () => {
    const branches = await client.Branches.all(project.id);
    deepEqual(branches.map(({ name }) => name).sort(), [branch, 'lodge'].sort());
  });
  await operation('lists a tree', async () => {
    const tree = await client.Repositories.allRepositoryTrees(project.id, {
      recursive: true,
      ref: 'lodge',
    });
    const paths = tree.map(({ path }) => path).sort();
    deepEqual(paths, ['READ.md', 'lodge', 'lodge/door.txt', 'lodge/roof.txt']);
  });
  await operation('compares branches', async () => {
    const { commits, diffs } = await client.Repositories.compare(project.id, branch, 'lodge');
    deepEqual([commits.map(({ id }) => id), diffs.length], [[commit.id], 3]);
  });
  await operation('lists commits', async () => {
    const commits = await client.Commits.all(project.id, { refName: 'lodge' });
    deepEqual(
      commits.map(({ title }) => title),
      ['Build the lodge', 'Grow', 'Begin'],
    );
  });
  await operation('shows the diff of a commit', async () => {
    const diff = await client.Commits.showDiff(project.id, commit.id);
    const paths = diff.map((each) => each.new_path).sort();
    deepEqual(paths, ['READ.md', 'lodge/door.txt', 'lodge/roof.txt']);
  });
  await operation('shows where a commit is', async () => {
    const refs = await client.Commits.allReferences(project.id, commit.id, { type: 'branch' });
    deepEqual(refs, [{ type: 'branch', name: 'lodge' }]);
  });
  await operation('comments on a commit', async () => {
    await client.Commits.createComment(project.id, commit.id, 'Solid');
    const comments = await read(`${base}/commits/${commit.id}/comments`);
    deepEqual(
      comments.map(({ note }) => note),
      ['Solid'],
    );
  });
  await operation('sets the status of a commit', async () => {
    await client.Commits.editStatus(project.id, commit.id, 'success', { name: 'leaks' });
    const statuses = await read(`${base}/commits/${commit.id}/statuses`);
    deepEqual(
      statuses.map(({ name, status }) => [name, status]),
      [['leaks', 'success']],
    );
  });
  await operation('lists pipelines', async () => {
    const pipelines = await client.Pipelines.all(project.id);
    deepEqual(
      pipelines.map(({ sha, status }) => [sha, status]),
      [[commit.id, 'success']],
    );
  });
  await operation('picks and reverts a commit', async () => {
    await client.Branches.create(project.id, 'picked', branch);
    await client.Commits.cherryPick(project.id, commit.id, 'picked');
    equal(await raw('lodge/roof.txt', 'picked'), 'mud\n');
    const { commit: tip } = await read(`${base}/branches/picked`);
    await client.Commits.revert(project.id, tip.id, 'picked');
    equal(await statusOf(`${base}/files/lodge%2Froof.txt?ref=picked`), 404);
  });
  await operation('shows who wrote the lines of a file', async () => {
    const [blame] = await client.RepositoryFiles.allFileBlames(project.id, 'README.md', branch);
    deepEqual(blame.lines, ['# Big dam']);
  });
  await operation('creates and removes a tag', async () => {
    await client.Tags.create(project.id, 'v1', branch, { message: 'First' });
    const tag = await read(`${base}/tags/v1`);
    deepEqual([tag.message, tag.commit.title], ['First', 'Grow']);
    deepEqual(
      (await client.Tags.all(project.id)).map(({ name }) => name),
      ['v1'],
    );
    await client.Tags.remove(project.id, 'v1');
    equal(await statusOf(`${base}/tags/v1`), 404);
  });
  await operation('downloads an archive', async () => {
    const archive = await client.Repositories.showArchive(project.id, { fileType: 'zip' });
    const bytes = Buffer.from(await archive.arrayBuffer());
    equal(bytes.subarray(0, 2).toString(), 'PK');
  });
  await operation('lists contributors', async () => {
    const contributors = await client.Repositories.allContributors(project.id);
    deepEqual(
      contributors.map(({ commits }) => commits),
      [2],
    );
  });
  await operation('protects a branch by level', async () => {
    await client.ProtectedBranches.create(project.id, 'lodge', { pushAccessLevel: 40 });
    equal((await read(`${base}/branches/lodge`)).protected, true);
  });
  await operation('creates a release', async () => {
    await client.ProjectReleases.create(project.id, { tagName: 'v2', ref: branch, name: 'Two' });
    equal((await read(`/projects/${project.id}/releases/v2`)).name, 'Two');
  });
  return branch;
}

async function planning(project, mate) {
  const base = `/projects/${project?.id}`;
  await operation('creates, edits and removes a label', async () => {
    const label = await client.ProjectLabels.create(project.id, 'leak', '#ff0000');
    await client.ProjectLabels.edit(project.id, 'leak', { newName: 'flood' });
    equal((await read(`${base}/labels/${label.id}`)).name, 'flood');
    await client.ProjectLabels.remove(project.id, 'flood');
    deepEqual(await read(`${base}/labels`), []);
  });
  const milestone = await operation('creates and edits a milestone', async () => {
    const made = await client.ProjectMilestones.create(project.id, 'Spring', {
      dueDate: '2027-03-20',
    });
    await client.ProjectMilestones.edit(project.id, made.id, { title: 'Thaw' });
    const { title, due_date: due } = await read(`${base}/milestones/${made.id}`);
    deepEqual([title, due], ['Thaw', '2027-03-20']);
    return made;
  });
  const issue = await operation('creates an issue', async () => {
    const made = await client.Issues.create(project.id, 'It leaks', {
      ...{ labels: 'bug,urgent', assigneeIds: [mate.id], milestoneId: milestone.id },
    });
    const row = await read(`${base}/issues/${made.iid}`);
    deepEqual(
      [row.labels, row.assignee.id, row.milestone.id],
      [['bug', 'urgent'], mate.id, milestone.id],
    );
    return made;
  });
  await operation('gives an issue several assignees', async () => {
    await client.Issues.edit(project.id, issue.iid, { assigneeIds: [mate.id, userId] });
    deepEqual(ids((await read(`${base}/issues/${issue.iid}`)).assignees), [userId, mate.id].sort());
  });
  await operation('lists issues', async () => {
    const issues = await client.Issues.all({ projectId: project.id, labels: 'urgent' });
    deepEqual(ids(issues), [issue.id]);
  });
  await operation('shows an issue', async () => {
    equal((await client.Issues.show(issue.iid, { projectId: project.id })).id, issue.id);
  });
  await operation('creates, edits and removes a note', async () => {
    const notes = `${base}/issues/${issue.iid}/notes`;
    const note = await client.IssueNotes.create(project.id, issue.iid, 'Seen');
    await client.IssueNotes.edit(project.id, issue.iid, note.id, { body: 'Seen today' });
    equal((await read(`${notes}/${note.id}`)).body, 'Seen today');
    const listed = await client.IssueNotes.all(project.id, issue.iid);
    ok(ids(listed).includes(note.id));
    await client.IssueNotes.remove(project.id, issue.iid, note.id);
    equal(await statusOf(`${notes}/${note.id}`), 404);
  });
  await operation('awards an emoji', async () => {
    await client.IssueAwardEmojis.award(project.id, issue.iid, 'thumbsup');
    const awards = await read(`${base}/issues/${issue.iid}/award_emoji`);
    deepEqual(
      awards.map(({ name }) => name),
      ['thumbsup'],
    );
  });
  await operation('unsubscribes and subscribes', async () => {
    const route = `${base}/issues/${issue.iid}`;
    await client.Issues.unsubscribe(project.id, issue.iid);
    equal((await read(route)).subscribed, false);
    await client.Issues.subscribe(project.id, issue.iid);
    equal((await read(route)).subscribed, true);
  });
  await operation('adds a todo and marks it as done', async () => {
    const todo = await client.Issues.createTodo(project.id, issue.iid);
    ok(ids(await client.TodoLists.all()).includes(todo.id));
    await client.TodoLists.done({ todoId: todo.id });
    ok(!ids(await read('/todos')).includes(todo.id));
  });
  await operation('closes an issue', async () => {
    await client.Issues.edit(project.id, issue.iid, { stateEvent: 'close' });
    equal((await read(`${base}/issues/${issue.iid}`)).state, 'closed');
  });
  await operation('lists the issues of a milestone', async () => {
    const issues = await client.ProjectMilestones.allAssignedIssues(project.id, milestone.id);
    deepEqual(ids(issues), [issue.id]);
  });
  await operation('starts a discussion', async () => {
    const { id } = await client.IssueDiscussions.create(project.id, issue.iid, 'Why?');
    equal((await read(`${base}/issues/${issue.iid}/discussions/${id}`)).notes[0].body, 'Why?');
  });
  await operation('finds issues by search', async () => {
    const found = await client.Search.all('issues', 'leaks', { projectId: project.id });
    deepEqual(ids(found), [issue.id]);
  });
}

async function review(project, branch, mate) {
  const base = `/projects/${project?.id}`;
  const request = await operation('creates a merge request', async () => {
    const made = await client.MergeRequests.create(project.id, 'lodge', branch, 'Add a lodge', {
      ...{ labels: 'building', removeSourceBranch: true },
    });
    const row = await read(`${base}/merge_requests/${made.iid}`);
    deepEqual(
      [row.title, row.labels, row.source_branch, row.force_remove_source_branch],
      ['Add a lodge', ['building'], 'lodge', true],
    );
    return made;
  });
  const route = `${base}/merge_requests/${request?.iid}`;
  await operation('edits a merge request', async () => {
    await client.MergeRequests.edit(project.id, request.iid, { description: 'With a door' });
    equal((await read(route)).description, 'With a door');
  });
  await operation('asks for a review', async () => {
    await client.MergeRequests.edit(project.id, request.iid, { reviewerIds: [mate.id] });
    deepEqual(ids((await read(route)).reviewers), [mate.id]);
  });
  await operation('shows a merge request', async () => {
    const { diff_refs: refs } = await client.MergeRequests.show(project.id, request.iid);
    equal(refs.head_sha, (await read(`${base}/repository/branches/lodge`)).commit.id);
  });
  await operation('lists merge requests', async () => {
    const requests = await client.MergeRequests.all({ projectId: project.id, state: 'opened' });
    deepEqual(ids(requests), [request.id]);
  });
  await operation('lists the diffs of a merge request', async () => {
    equal((await client.MergeRequests.allDiffs(project.id, request.iid)).length, 3);
  });
  await operation('lists the commits of a merge request', async () => {
    const commits = await client.MergeRequests.allCommits(project.id, request.iid);
    deepEqual(
      commits.map(({ title }) => title),
      ['Build the lodge'],
    );
  });
  await operation('lists the pipelines of a merge request', async () => {
    equal((await client.MergeRequests.allPipelines(project.id, request.iid)).length, 1);
  });
  await operation('shows approvals', async () => {
    const { approvals_required: required } = await client.MergeRequestApprovals.showConfiguration(
      project.id,
      {
        mergerequestIId: request.iid,
      },
    );
    equal(required, 0);
  });
  await operation('notes on a merge request', async () => {
    const note = await client.MergeRequestNotes.create(project.id, request.iid, 'Nice');
    equal((await read(`${route}/notes/${note.id}`)).body, 'Nice');
  });
  await operation('remarks on a line', async () => {
    const { diff_refs: refs } = await read(route);
    const { id } = await client.MergeRequestDiscussions.create(project.id, request.iid, 'Dry?', {
      position: {
        ...{ baseSha: refs.base_sha, headSha: refs.head_sha, startSha: refs.start_sha },
        ...{ positionType: 'text', newPath: 'lodge/door.txt', newLine: '1' },
      },
    });
    equal((await read(`${route}/discussions/${id}`)).notes[0].position.new_line, 1);
  });
  await operation('merges a merge request', async () => {
    await client.MergeRequests.merge(project.id, request.iid, {
      shouldRemoveSourceBranch: true,
    });
    equal((await read(route)).state, 'merged');
    equal(await statusOf(`${base}/repository/branches/lodge`), 404);
    equal(await statusOf(`${base}/repository/files/READ.md?ref=${branch}`), 200);
  });
  await operation('refuses to merge twice, by an error that has the status', async () => {
    await assert.rejects(
      client.MergeRequests.merge(project.id, request.iid),
      ({ cause }) => cause.response.status === 405,
    );
  });
}

async function lists(project) {
  const labels = `/projects/${project?.id}/labels`;
  const names = Array.from({ length: 7 }, (_, index) => `list ${index + 1}`);
  await operation('follows pages', async () => {
    for (const name of names) await client.ProjectLabels.create(project.id, name, '#00ff00');
    const listed = await client.ProjectLabels.all(project.id, { perPage: 2 });
    deepEqual(ids(listed), ids(await read(`${labels}?per_page=100`)));
  });
  await operation('reads totals of a page', async () => {
    const { paginationInfo: info } = await client.ProjectLabels.all(project.id, {
      ...{ perPage: 2, page: 2, maxPages: 1, showExpanded: true },
    });
    deepEqual([info.current, info.perPage, info.next], [2, 2, 3]);
  });
  await operation('follows pages by key', async () => {
    const projects = await client.Projects.all({
      ...{ pagination: 'keyset', orderBy: 'id', perPage: 1, owned: true },
    });
    deepEqual(ids(projects), ids(await read('/projects?owned=true&per_page=100')));
  });
  await operation('lists events', async () => {
    const events = await client.Events.all({ projectId: project.id });
    ok(events.some(({ action_name: action }) => action === 'pushed new'));
  });
}

async function administration(group, project, mate, branch) {
  await operation('shows settings', async () => {
    const settings = await admin.ApplicationSettings.show();
    const { default_projects_limit: limit } = await read('/application/settings', asAdmin);
    equal(settings.default_projects_limit, limit);
  });
  await operation('adds and removes a system hook', async () => {
    const hook = await admin.SystemHooks.create('http://127.0.0.1:9/system');
    ok(ids(await read('/hooks', asAdmin)).includes(hook.id));
    await admin.SystemHooks.remove(hook.id);
    ok(!ids(await read('/hooks', asAdmin)).includes(hook.id));
  });
  await operation('creates an access token', async () => {
    const { token: made } = await client.ProjectAccessTokens.create(
      ...[project.id, 'ci', ['api'], '2027-11-01'],
    );
    equal((await call('GET', `/projects/${project.id}`, { as: made })).status, 200);
  });
  await operation('forks a project', async () => {
    const fork = await client.Projects.fork(project.id, { path: 'dam-of-mine' });
    const row = await read(`/projects/${fork.id}`);
    equal(row.forked_from_project.id, project.id);
  });
  await operation('archives and unarchives a project', async () => {
    await client.Projects.archive(project.id);
    equal((await read(`/projects/${project.id}`)).archived, true);
    await client.Projects.unarchive(project.id);
    equal((await read(`/projects/${project.id}`)).archived, false);
  });
  await operation('removes a file', async () => {
    await client.RepositoryFiles.remove(project.id, 'READ.md', branch, 'Read no more');
    const route = `/projects/${project.id}/repository/files/READ.md?ref=${branch}`;
    equal(await statusOf(route), 404);
  });
  await operation('removes a branch', async () => {
    await client.Branches.remove(project.id, 'picked');
    equal(await statusOf(`/projects/${project.id}/repository/branches/picked`), 404);
  });
  await operation('removes a project', async () => {
    await client.Projects.remove(project.id);
    equal(await statusOf(`/projects/${project.id}`), 404);
  });
  await operation('removes a group', async () => {
    await client.Groups.remove(group.id);
    equal(await statusOf(`/groups/${group.id}`), 404);
  });
  await operation('removes a user', async () => {
    await admin.Users.remove(mate.id);
    equal(await statusOf(`/users/${mate.id}`, asAdmin), 404);
  });
}

const mate = await accounts();
const group = await groups(mate);
const project = await projects(group, mate);
const branch = await repository(project);
await planning(project, mate);
await review(project, branch, mate);
await lists(project);
await administration(group, project, mate, branch);
