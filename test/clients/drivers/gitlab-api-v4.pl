# GitLab::API::v4 (Perl): a group, a project with its repository, planning and review.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../support";
use GitLab::API::v4;
use MIME::Base64 'decode_base64';
use Operations;

my $url    = "$ENV{SERVICE}/api/v4";
my $client = GitLab::API::v4->new(url => $url, private_token => $ENV{TOKEN});
my $admin  = GitLab::API::v4->new(url => $url, private_token => $ENV{ADMIN_TOKEN});

operation('shows the current user', sub {
    equal($client->current_user->{id} + 0, $ENV{USER_ID} + 0);
});

operation('shows the version', sub { equal($client->version->{version}, row('/version')->{version}) });

my $mate = operation('creates a user', sub {
    # It returns nothing.
    $admin->create_user({
        username => 'perl-mate', name => 'Mate', email => 'perl-mate@example.com',
        password => 'password of the mate', skip_confirmation => 1,
    });
    my $user = row('/users?username=perl-mate', $ENV{ADMIN_TOKEN})->[0];
    equal($user->{name}, 'Mate');
    return $user;
});

operation('finds a user by name', sub {
    equal($client->users({ username => 'perl-mate' })->[0]{id}, $mate->{id});
});

my $group = operation('creates a group', sub {
    # It returns nothing.
    $client->create_group({ name => 'Shells', path => 'shells', visibility => 'public' });
    my $made = row('/groups/shells');
    equal($made->{visibility}, 'public');
    return $made;
});

my $project = operation('creates a project', sub {
    my $made = $client->create_project({ name => 'Reef', namespace_id => $group->{id} });
    equal(row("/projects/$made->{id}")->{path_with_namespace}, 'shells/reef');
    return $made;
});
my $id     = $project->{id} // 0;
my $base   = "/projects/$id";
my $branch = $project->{default_branch} // 'main';

operation('shows a project by its path', sub { equal($client->project('shells/reef')->{id}, $id) });

operation('edits a project', sub {
    $client->edit_project($id, { description => 'Of coral' });
    equal(row($base)->{description}, 'Of coral');
});

operation('lists projects of a group', sub {
    equal([map { $_->{id} } @{ $client->group_projects($group->{id}) }], [$id]);
});

operation('adds, edits and removes a member of a project', sub {
    my $route = "$base/members/$mate->{id}";
    $client->add_project_member($id, { user_id => $mate->{id}, access_level => 30 });
    equal(row($route)->{access_level}, 30);
    $client->update_project_member($id, $mate->{id}, { access_level => 40 });
    equal(row($route)->{access_level}, 40);
    $client->remove_project_member($id, $mate->{id});
    equal(status_of($route), 404);
});

operation('adds and removes a hook', sub {
    my $hook = $client->create_project_hook($id, { url => 'http://127.0.0.1:9/', push_events => 1 });
    equal(row("$base/hooks/$hook->{id}")->{url}, 'http://127.0.0.1:9/');
    $client->delete_project_hook($id, $hook->{id});
    equal(status_of("$base/hooks/$hook->{id}"), 404);
});

operation('creates a file', sub {
    $client->create_file($id, 'README.md',
        { branch => $branch, content => "# Reef\n", commit_message => 'Begin' });
    equal(fetch("$base/repository/files/README.md/raw?ref=$branch")->{content}, "# Reef\n");
});

operation('edits a file', sub {
    $client->edit_file($id, 'README.md',
        { branch => $branch, content => "# Long reef\n", commit_message => 'Grow' });
    equal(fetch("$base/repository/files/README.md/raw?ref=$branch")->{content}, "# Long reef\n");
});

operation('shows a file', sub {
    my $file = $client->file($id, 'README.md', { ref => $branch });
    equal(decode_base64($file->{content}), "# Long reef\n");
});

operation('creates a branch', sub {
    $client->create_branch($id, { branch => 'lagoon', ref => $branch });
    equal(row("$base/repository/branches/lagoon")->{name}, 'lagoon');
});

my $commit = operation('creates a commit of several actions', sub {
    my $made = $client->create_commit($id, {
        branch => 'lagoon', commit_message => 'Add fish',
        actions => [
            { action => 'create', file_path => 'fish/one.txt', content => "red\n" },
            { action => 'create', file_path => 'fish/two.txt', content => "blue\n" },
        ],
    });
    equal(row("$base/repository/branches/lagoon")->{commit}{id}, $made->{id});
    return $made;
});

operation('lists a tree', sub {
    my $tree = $client->tree($id, { ref => 'lagoon', recursive => 1 });
    equal([sort map { $_->{path} } @$tree], ['README.md', 'fish', 'fish/one.txt', 'fish/two.txt']);
});

operation('lists commits and their diffs', sub {
    my $commits = $client->commits($id, { ref_name => 'lagoon' });
    equal([map { $_->{title} } @$commits], ['Add fish', 'Grow', 'Begin']);
    equal(scalar @{ $client->commit_diff($id, $commit->{id}) }, 2);
});

operation('compares branches', sub {
    equal(scalar @{ $client->compare($id, { from => $branch, to => 'lagoon' })->{diffs} }, 2);
});

operation('sets the status of a commit', sub {
    $client->create_commit_status($id, $commit->{id}, { state => 'success', name => 'tide' });
    equal(row("$base/repository/commits/$commit->{id}/statuses")->[0]{name}, 'tide');
});

operation('creates and removes a tag', sub {
    $client->create_tag($id, { tag_name => 'v1', ref => $branch, message => 'First' });
    equal(row("$base/repository/tags/v1")->{message}, 'First');
    $client->delete_tag($id, 'v1');
    equal(status_of("$base/repository/tags/v1"), 404);
});

operation('protects a branch by level', sub {
    $client->protect_branch($id, { name => 'lagoon', push_access_level => 40 });
    equal(row("$base/repository/branches/lagoon")->{protected}, JSON::PP::true);
});

operation('creates a release', sub {
    $client->create_release($id, { tag_name => 'v2', ref => $branch, description => 'Two' });
    equal(row("$base/releases/v2")->{description}, 'Two');
});

operation('creates a label', sub {
    $client->create_label($id, { name => 'storm', color => '#ff0000' });
    equal(row("$base/labels")->[0]{name}, 'storm');
});

my $milestone = operation('creates a milestone', sub {
    my $made = $client->create_project_milestone($id, { title => 'Spring', due_date => '2027-03-20' });
    equal(row("$base/milestones/$made->{id}")->{due_date}, '2027-03-20');
    return $made;
});

my $issue = operation('creates an issue', sub {
    my $made = $client->create_issue($id,
        { title => 'Waves', labels => 'bug,urgent', milestone_id => $milestone->{id} });
    equal(row("$base/issues/$made->{iid}")->{labels}, ['bug', 'urgent']);
    return $made;
});

operation('lists issues', sub {
    equal([map { $_->{id} } @{ $client->issues($id, { labels => 'urgent' }) }], [$issue->{id}]);
});

operation('notes on an issue', sub {
    my $note = $client->create_issue_note($id, $issue->{iid}, { body => 'High ones' });
    equal(row("$base/issues/$issue->{iid}/notes/$note->{id}")->{body}, 'High ones');
});

operation('closes an issue', sub {
    $client->edit_issue($id, $issue->{iid}, { state_event => 'close' });
    equal(row("$base/issues/$issue->{iid}")->{state}, 'closed');
});

my $request = operation('creates a merge request', sub {
    my $made = $client->create_merge_request($id,
        { source_branch => 'lagoon', target_branch => $branch, title => 'Add a lagoon' });
    equal(row("$base/merge_requests/$made->{iid}")->{title}, 'Add a lagoon');
    return $made;
});

operation('edits a merge request', sub {
    $client->edit_merge_request($id, $request->{iid}, { description => 'Calm' });
    equal(row("$base/merge_requests/$request->{iid}")->{description}, 'Calm');
});

operation('notes on a merge request', sub {
    my $note = $client->create_merge_request_note($id, $request->{iid}, { body => 'Nice' });
    equal(row("$base/merge_requests/$request->{iid}/notes/$note->{id}")->{body}, 'Nice');
});

operation('merges a merge request', sub {
    $client->accept_merge_request($id, $request->{iid}, { should_remove_source_branch => 'true' });
    equal(row("$base/merge_requests/$request->{iid}")->{state}, 'merged');
    equal(status_of("$base/repository/branches/lagoon"), 404);
});

operation('follows pages', sub {
    $client->create_label($id, { name => "list $_", color => '#00ff00' }) for 1 .. 7;
    my $listed = $client->paginator('labels', $id, { per_page => 2 })->all;
    my $rows   = row("$base/labels?per_page=100");
    equal([sort map { $_->{id} } @$listed], [sort map { $_->{id} } @$rows]);
});

operation('removes a branch, a project, a group and a user', sub {
    $client->create_branch($id, { branch => 'side', ref => $branch });
    $client->delete_branch($id, 'side');
    equal(status_of("$base/repository/branches/side"), 404);
    $client->delete_project($id);
    equal(status_of($base), 404);
    $client->delete_group($group->{id});
    equal(status_of("/groups/$group->{id}"), 404);
    $admin->delete_user($mate->{id});
    equal(status_of("/users/$mate->{id}", $ENV{ADMIN_TOKEN}), 404);
});
