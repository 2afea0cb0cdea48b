# gitlab (Ruby): accounts, groups, a project with its repository, planning and review.
require 'gitlab'
require_relative '../support/operations'

ENDPOINT = "#{URL}/api/v4".freeze
CLIENT = Gitlab.client(endpoint: ENDPOINT, private_token: TOKEN)
ADMIN = Gitlab.client(endpoint: ENDPOINT, private_token: ADMIN_TOKEN)

operation('shows the current user') do
  user = CLIENT.user
  equal([user.id, user.username], [USER_ID, USERNAME])
end

operation('shows the version') { equal(CLIENT.version.version, read('/version')['version']) }

mate = operation('creates a user') do
  user = ADMIN.create_user('ruby-mate@example.com', 'password of the mate', 'ruby-mate',
                           name: 'Mate', skip_confirmation: true)
  equal(read("/users/#{user.id}", ADMIN_TOKEN)['name'], 'Mate')
  user
end

operation('blocks and unblocks a user') do
  ADMIN.block_user(mate.id)
  equal(read("/users/#{mate.id}", ADMIN_TOKEN)['state'], 'blocked')
  ADMIN.unblock_user(mate.id)
  equal(read("/users/#{mate.id}", ADMIN_TOKEN)['state'], 'active')
end

operation('finds a user by name') { equal(CLIENT.users(username: 'ruby-mate').map(&:id), [mate.id]) }

operation('raises an error of its own for an unknown token') do
  Gitlab.client(endpoint: ENDPOINT, private_token: 'no-such-token').projects
  raise 'It was accepted'
rescue Gitlab::Error::Unauthorized => e
  equal(e.response_status, 401)
end

group = operation('creates a group') do
  made = CLIENT.create_group('Gems', 'gems', visibility: 'public')
  equal(read("/groups/#{made.id}")['full_path'], 'gems')
  made
end

operation('adds a member to a group') do
  CLIENT.add_group_member(group.id, mate.id, 30)
  equal(read("/groups/#{group.id}/members/#{mate.id}")['access_level'], 30)
end

project = operation('creates a project') do
  made = CLIENT.create_project('Mine', namespace_id: group.id, visibility: 'public')
  equal(read("/projects/#{made.id}")['path_with_namespace'], 'gems/mine')
  made
end

base = "/projects/#{project&.id}"
repository = "#{base}/repository"
branch = project&.default_branch || 'main'

operation('shows a project by its path') { equal(CLIENT.project('gems/mine').id, project.id) }

operation('edits a project') do
  CLIENT.edit_project(project.id, description: 'Of coal')
  equal(read(base)['description'], 'Of coal')
end

operation('lists projects of a group') { equal(CLIENT.group_projects(group.id).map(&:id), [project.id]) }

operation('adds, edits and removes a member of a project') do
  route = "#{base}/members/#{mate.id}"
  CLIENT.add_team_member(project.id, mate.id, 30)
  equal(read(route)['access_level'], 30)
  CLIENT.edit_team_member(project.id, mate.id, 40)
  equal(read(route)['access_level'], 40)
  CLIENT.remove_team_member(project.id, mate.id)
  equal(status_of(route), 404)
end

operation('adds and removes a hook') do
  hook = CLIENT.add_project_hook(project.id, 'http://127.0.0.1:9/', push_events: true)
  equal(read("#{base}/hooks/#{hook.id}")['push_events'], true)
  CLIENT.delete_project_hook(project.id, hook.id)
  equal(status_of("#{base}/hooks/#{hook.id}"), 404)
end

operation('creates a file') do
  CLIENT.create_file(project.id, 'README.md', branch, "# Mine\n", 'Begin')
  equal(fetch("#{repository}/files/README.md/raw?ref=#{branch}").body, "# Mine\n")
end

operation('edits a file') do
  CLIENT.edit_file(project.id, 'README.md', branch, "# Deep mine\n", 'Dig')
  equal(fetch("#{repository}/files/README.md/raw?ref=#{branch}").body, "# Deep mine\n")
end

operation('shows a file') do
  equal(CLIENT.get_file(project.id, 'README.md', branch).content.unpack1('m'), "# Deep mine\n")
end

operation('shows the raw text of a file') do
  equal(CLIENT.file_contents(project.id, 'README.md', branch), "# Deep mine\n")
end

operation('creates a branch') do
  CLIENT.create_branch(project.id, 'shaft', branch)
  equal(read("#{repository}/branches/shaft")['name'], 'shaft')
end

commit = operation('creates a commit of several actions') do
  actions = [
    { action: 'create', file_path: 'shaft/lamp.txt', content: "bright\n" },
    { action: 'create', file_path: 'shaft/rope.txt', content: "long\n" },
    { action: 'delete', file_path: 'README.md' }
  ]
  made = CLIENT.create_commit(project.id, 'shaft', 'Sink a shaft', actions)
  equal(read("#{repository}/branches/shaft")['commit']['id'], made.id)
  equal(fetch("#{repository}/files/shaft%2Frope.txt/raw?ref=shaft").body, "long\n")
  made
end

operation('lists a tree') do
  paths = CLIENT.tree(project.id, ref: 'shaft', recursive: true).map(&:path)
  equal(paths.sort, ['shaft', 'shaft/lamp.txt', 'shaft/rope.txt'])
end

operation('compares branches') do
  answer = CLIENT.compare(project.id, branch, 'shaft')
  equal([answer.commits.map { |each| each['id'] }, answer.diffs.length], [[commit.id], 3])
end

operation('lists commits and their diffs') do
  equal(CLIENT.commits(project.id, ref_name: 'shaft').map(&:title), ['Sink a shaft', 'Dig', 'Begin'])
  equal(CLIENT.commit_diff(project.id, commit.id).length, 3)
end

operation('comments on a commit') do
  CLIENT.create_commit_comment(project.id, commit.id, 'Deep')
  equal(read("#{repository}/commits/#{commit.id}/comments").map { |row| row['note'] }, ['Deep'])
end

operation('sets the status of a commit') do
  CLIENT.update_commit_status(project.id, commit.id, 'success', name: 'props')
  rows = read("#{repository}/commits/#{commit.id}/statuses")
  equal(rows.map { |row| row.values_at('name', 'status') }, [%w[props success]])
end

operation('creates and removes a tag') do
  CLIENT.create_tag(project.id, 'v1', branch, 'First')
  equal(read("#{repository}/tags/v1")['message'], 'First')
  CLIENT.delete_tag(project.id, 'v1')
  equal(status_of("#{repository}/tags/v1"), 404)
end

operation('protects a branch') do
  CLIENT.protect_branch(project.id, 'shaft')
  equal(read("#{repository}/branches/shaft")['protected'], true)
end

operation('creates a release') do
  CLIENT.create_project_release(project.id, tag_name: 'v2', ref: branch, description: 'Two')
  equal(read("#{base}/releases/v2")['description'], 'Two')
end

operation('creates and removes a label') do
  CLIENT.create_label(project.id, 'gas', '#ff0000')
  equal(read("#{base}/labels").map { |row| row['name'] }, ['gas'])
  CLIENT.delete_label(project.id, 'gas')
  equal(read("#{base}/labels"), [])
end

milestone = operation('creates and edits a milestone') do
  made = CLIENT.create_milestone(project.id, 'Spring', due_date: '2027-03-20')
  CLIENT.edit_milestone(project.id, made.id, title: 'Thaw')
  equal(read("#{base}/milestones/#{made.id}").values_at('title', 'due_date'), %w[Thaw 2027-03-20])
  made
end

issue = operation('creates an issue') do
  made = CLIENT.create_issue(project.id, 'Water comes in', labels: 'bug,urgent', milestone_id: milestone.id)
  row = read("#{base}/issues/#{made.iid}")
  equal([row['labels'], row['milestone']['id']], [%w[bug urgent], milestone.id])
  made
end

operation('lists issues') do
  equal(CLIENT.issues(project.id, labels: 'urgent').map(&:id), [issue.id])
  equal(CLIENT.milestone_issues(project.id, milestone.id).map(&:id), [issue.id])
end

operation('notes on an issue') do
  note = CLIENT.create_issue_note(project.id, issue.iid, 'Pump')
  CLIENT.edit_issue_note(project.id, issue.iid, note.id, 'Pump more')
  equal(read("#{base}/issues/#{issue.iid}/notes/#{note.id}")['body'], 'Pump more')
end

operation('closes an issue') do
  CLIENT.close_issue(project.id, issue.iid)
  equal(read("#{base}/issues/#{issue.iid}")['state'], 'closed')
end

request = operation('creates a merge request') do
  made = CLIENT.create_merge_request(project.id, 'Add a shaft', source_branch: 'shaft', target_branch: branch)
  equal(read("#{base}/merge_requests/#{made.iid}")['title'], 'Add a shaft')
  made
end

route = "#{base}/merge_requests/#{request&.iid}"

operation('edits a merge request') do
  CLIENT.update_merge_request(project.id, request.iid, description: 'It is deep')
  equal(read(route)['description'], 'It is deep')
end

operation('lists merge requests, their commits and changes') do
  equal(CLIENT.merge_requests(project.id, state: 'opened').map(&:id), [request.id])
  equal(CLIENT.merge_request_commits(project.id, request.iid).map(&:title), ['Sink a shaft'])
  equal(CLIENT.merge_request_changes(project.id, request.iid).changes.length, 3)
end

operation('shows approvals') do
  equal(CLIENT.merge_request_approvals(project.id, request.iid).approvals_required, 0)
end

operation('notes on a merge request') do
  note = CLIENT.create_merge_request_note(project.id, request.iid, 'Nice')
  equal(read("#{route}/notes/#{note.id}")['body'], 'Nice')
end

operation('merges a merge request') do
  CLIENT.accept_merge_request(project.id, request.iid, should_remove_source_branch: true)
  equal(read(route)['state'], 'merged')
  equal(status_of("#{repository}/branches/shaft"), 404)
end

operation('follows pages') do
  7.times { |index| CLIENT.create_label(project.id, "list #{index}", '#00ff00') }
  listed = CLIENT.labels(project.id, per_page: 2).auto_paginate.map(&:id)
  equal(listed.sort, read("#{base}/labels?per_page=100").map { |row| row['id'] }.sort)
end

operation('removes a file, a branch, a project, a group and a user') do
  CLIENT.remove_file(project.id, 'shaft/rope.txt', branch, 'Cut the rope')
  equal(status_of("#{repository}/files/shaft%2Frope.txt?ref=#{branch}"), 404)
  CLIENT.create_branch(project.id, 'side', branch)
  CLIENT.delete_branch(project.id, 'side')
  equal(status_of("#{repository}/branches/side"), 404)
  CLIENT.delete_project(project.id)
  equal(status_of(base), 404)
  CLIENT.delete_group(group.id)
  equal(status_of("/groups/#{group.id}"), 404)
  ADMIN.delete_user(mate.id)
  equal(status_of("/users/#{mate.id}", ADMIN_TOKEN), 404)
end

operation('acts in the name of another user') do
  sudo = Gitlab.client(endpoint: ENDPOINT, private_token: ADMIN_TOKEN, sudo: USERNAME)
  equal(sudo.user.id, USER_ID)
end
