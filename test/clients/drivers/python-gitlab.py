"""python-gitlab: the library on accounts, groups, a project with its repository, planning and review; then its command line."""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))

import gitlab  # noqa: E402
from operations import (  # noqa: E402
    ADMIN_TOKEN,
    TOKEN,
    URL,
    USER_ID,
    USERNAME,
    call,
    equal,
    operation,
    read,
    status_of,
)

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFm3eHnQDZ0pLSHUe7hbyDrKP4Gq5VZdvJqk5HXc0z4n driver@example.com"
client = gitlab.Gitlab(URL, private_token=TOKEN)
admin = gitlab.Gitlab(URL, private_token=ADMIN_TOKEN)


def ids(rows):
    """The IDs of rows of the API or of objects of the library, in order."""
    return sorted(row["id"] if isinstance(row, dict) else row.get_id() for row in rows)


# Accounts


@operation("signs in")
def signed_in():
    client.auth()
    equal([client.user.id, client.user.username], [USER_ID, USERNAME])


@operation("shows the version")
def version():
    equal(client.version()[0], read("/version")["version"])


@operation("creates a user")
def mate():
    user = admin.users.create(
        {
            "username": "python-mate",
            "name": "Mate",
            "email": "python-mate@example.com",
            "password": "password of the mate",
            "skip_confirmation": True,
        }
    )
    equal(read(f"/users/{user.id}", ADMIN_TOKEN)["name"], "Mate")
    return user


@operation("saves a user")
def saved_user():
    mate.name = "First mate"
    mate.save()
    equal(read(f"/users/{mate.id}", ADMIN_TOKEN)["name"], "First mate")


@operation("finds a user by name")
def found_user():
    equal(ids(client.users.list(username="python-mate")), [mate.id])


@operation("blocks and unblocks a user")
def blocked():
    mate.block()
    equal(read(f"/users/{mate.id}", ADMIN_TOKEN)["state"], "blocked")
    mate.unblock()
    equal(read(f"/users/{mate.id}", ADMIN_TOKEN)["state"], "active")


@operation("adds and removes a key of a user")
def user_key():
    key = mate.keys.create({"title": "reptile", "key": KEY})
    equal(ids(read(f"/users/{mate.id}/keys", ADMIN_TOKEN)), [key.id])
    key.delete()
    equal(read(f"/users/{mate.id}/keys", ADMIN_TOKEN), [])


@operation("acts in the name of another user")
def sudo():
    project = admin.projects.create({"name": "Egg"}, sudo=USERNAME)
    equal(read(f"/projects/{project.id}")["owner"]["username"], USERNAME)
    project.delete()


@operation("raises an error of its own for an unknown token")
def unknown_token():
    try:
        gitlab.Gitlab(URL, private_token="no-such-token").projects.list()
    except gitlab.exceptions.GitlabAuthenticationError as error:
        equal(error.response_code, 401)
    else:
        raise AssertionError("It was accepted")


# Groups


@operation("creates a group")
def group():
    made = client.groups.create({"name": "Snakes", "path": "snakes", "visibility": "public"})
    equal(read(f"/groups/{made.id}")["full_path"], "snakes")
    return made


@operation("saves a group")
def saved_group():
    group.description = "They hiss"
    group.save()
    equal(read(f"/groups/{group.id}")["description"], "They hiss")


@operation("adds, saves and removes a member of a group")
def group_member():
    route = f"/groups/{group.id}/members/{mate.id}"
    member = group.members.create({"user_id": mate.id, "access_level": 20})
    equal(read(route)["access_level"], 20)
    member.access_level = 30
    member.save()
    equal(read(route)["access_level"], 30)


@operation("lists subgroups")
def subgroups():
    equal(group.subgroups.list(), [])


# Projects


@operation("creates a project")
def project():
    made = client.projects.create(
        {"name": "Nest", "path": "nest", "namespace_id": group.id, "visibility": "public"}
    )
    equal(read(f"/projects/{made.id}")["path_with_namespace"], "snakes/nest")
    return made


BASE = f"/projects/{project.id}" if project else "/projects/0"


@operation("gets a project by its path")
def project_by_path():
    equal(client.projects.get("snakes/nest").id, project.id)


@operation("saves a project")
def saved_project():
    project.description = "Of straw"
    project.save()
    equal(read(BASE)["description"], "Of straw")


@operation("lists projects of a group")
def group_projects():
    equal(ids(group.projects.list()), [project.id])


@operation("finds projects")
def found_projects():
    equal(ids(client.projects.list(search="nest", owned=True)), [project.id])


@operation("adds, saves and removes a member of a project")
def project_member():
    route = f"{BASE}/members/{mate.id}"
    member = project.members.create({"user_id": mate.id, "access_level": 30})
    equal(read(route)["access_level"], 30)
    member.access_level = 40
    member.save()
    equal(read(route)["access_level"], 40)
    member.delete()
    equal(status_of(route), 404)


@operation("gets inherited members")
def inherited_members():
    equal(project.members_all.get(mate.id).access_level, 30)
    assert mate.id in ids(project.members_all.list())


@operation("stars and unstars a project")
def starred():
    project.star()
    equal(read(BASE)["star_count"], 1)
    project.unstar()
    equal(read(BASE)["star_count"], 0)


@operation("adds, saves and removes a hook")
def hook():
    made = project.hooks.create({"url": "http://127.0.0.1:9/", "push_events": True})
    route = f"{BASE}/hooks/{made.id}"
    made.issues_events = True
    made.save()
    row = read(route)
    equal([row["push_events"], row["issues_events"]], [True, True])
    made.delete()
    equal(status_of(route), 404)


@operation("adds and removes a deploy key")
def deploy_key():
    key = project.keys.create({"title": "deploy", "key": KEY, "can_push": True})
    route = f"{BASE}/deploy_keys/{key.id}"
    equal(read(route)["can_push"], True)
    key.delete()
    equal(status_of(route), 404)


@operation("shares and unshares a project")
def shared():
    other = client.groups.create({"name": "Lizards", "path": "lizards"})
    project.share(other.id, 20)
    shares = read(BASE)["shared_with_groups"]
    equal([(each["group_id"], each["group_access_level"]) for each in shares], [(other.id, 20)])
    project.unshare(other.id)
    equal(read(BASE)["shared_with_groups"], [])
    other.delete()


@operation("uploads a file")
def upload():
    answer = project.upload("egg.txt", filedata="warm")
    assert answer["url"].endswith("/egg.txt"), answer
    assert answer["markdown"].startswith("[egg.txt]("), answer


# The repository

BRANCH = getattr(project, "default_branch", None) or "main"
REPOSITORY = f"{BASE}/repository"


def raw(path, ref):
    """The text of a file, without the client."""
    return call("GET", f"{REPOSITORY}/files/{path.replace('/', '%2F')}/raw?ref={ref}")[1]


@operation("creates a file")
def created_file():
    file = {"file_path": "README.md", "branch": BRANCH, "content": "# Nest\n"}
    project.files.create({**file, "commit_message": "Begin"})
    equal(raw("README.md", BRANCH), "# Nest\n")


@operation("saves a file")
def saved_file():
    file = project.files.get(file_path="README.md", ref=BRANCH)
    equal(file.decode(), b"# Nest\n")
    file.content = "# Warm nest\n"
    file.save(branch=BRANCH, commit_message="Warm it")
    equal(raw("README.md", BRANCH), "# Warm nest\n")


@operation("reads the raw text of a file")
def raw_file():
    equal(project.files.raw(file_path="README.md", ref=BRANCH), b"# Warm nest\n")


@operation("creates a branch")
def branch():
    project.branches.create({"branch": "egg", "ref": BRANCH})
    equal(read(f"{REPOSITORY}/branches/egg")["name"], "egg")


@operation("creates a commit of several actions")
def commit():
    made = project.commits.create(
        {
            "branch": "egg",
            "commit_message": "Lay eggs",
            "actions": [
                {"action": "create", "file_path": "eggs/one.txt", "content": "white\n"},
                {"action": "create", "file_path": "eggs/two.txt", "content": "brown\n"},
                {"action": "delete", "file_path": "README.md"},
            ],
        }
    )
    equal(read(f"{REPOSITORY}/branches/egg")["commit"]["id"], made.id)
    equal(raw("eggs/two.txt", "egg"), "brown\n")
    return made


@operation("lists a tree")
def tree():
    paths = [each["path"] for each in project.repository_tree(ref="egg", recursive=True)]
    equal(sorted(paths), ["eggs", "eggs/one.txt", "eggs/two.txt"])


@operation("compares branches")
def compared():
    answer = project.repository_compare(BRANCH, "egg")
    equal([each["id"] for each in answer["commits"]], [commit.id])
    equal(len(answer["diffs"]), 3)


@operation("lists commits and their diffs")
def commits():
    listed = project.commits.list(ref_name="egg", get_all=True)
    equal([each.title for each in listed], ["Lay eggs", "Warm it", "Begin"])
    equal(len(listed[0].diff()), 3)


@operation("shows where a commit is")
def commit_refs():
    equal(commit.refs(type="branch"), [{"type": "branch", "name": "egg"}])


@operation("lists merge requests of a commit")
def commit_merge_requests():
    equal(commit.merge_requests(), [])


@operation("comments on a commit")
def commit_comment():
    commit.comments.create({"note": "White ones", "path": "eggs/one.txt", "line": 1, "line_type": "new"})
    rows = read(f"{REPOSITORY}/commits/{commit.id}/comments")
    equal([(row["note"], row["path"]) for row in rows], [("White ones", "eggs/one.txt")])


@operation("sets the status of a commit")
def commit_status():
    commit.statuses.create({"state": "success", "name": "hatch", "target_url": "http://ci.example.com/1"})
    rows = read(f"{REPOSITORY}/commits/{commit.id}/statuses")
    equal([(row["name"], row["status"]) for row in rows], [("hatch", "success")])


@operation("lists pipelines")
def pipelines():
    listed = project.pipelines.list(get_all=True)
    equal([(each.sha, each.status) for each in listed], [(commit.id, "success")])


@operation("picks and reverts a commit")
def picked():
    project.branches.create({"branch": "picked", "ref": BRANCH})
    commit.cherry_pick(branch="picked")
    equal(raw("eggs/one.txt", "picked"), "white\n")
    project.commits.get("picked").revert(branch="picked")
    equal(status_of(f"{REPOSITORY}/files/eggs%2Fone.txt?ref=picked"), 404)


@operation("shows who wrote the lines of a file")
def blame():
    equal(project.files.blame(file_path="README.md", ref=BRANCH)[0]["lines"], ["# Warm nest"])


@operation("creates and removes a tag")
def tag():
    made = project.tags.create({"tag_name": "v1", "ref": BRANCH, "message": "First"})
    row = read(f"{REPOSITORY}/tags/v1")
    equal([row["message"], row["commit"]["title"]], ["First", "Warm it"])
    made.delete()
    equal(status_of(f"{REPOSITORY}/tags/v1"), 404)


@operation("downloads an archive")
def archive():
    equal(project.repository_archive(format="zip")[:2], b"PK")


@operation("lists contributors")
def contributors():
    equal([each["commits"] for each in project.repository_contributors()], [2])


@operation("protects a branch by level")
def protected():
    project.protectedbranches.create({"name": "egg", "push_access_level": 40})
    equal(read(f"{REPOSITORY}/branches/egg")["protected"], True)


@operation("creates a release")
def release():
    project.releases.create({"tag_name": "v2", "ref": BRANCH, "description": "Two"})
    equal(read(f"{BASE}/releases/v2")["description"], "Two")


# Planning


@operation("creates, saves and removes a label")
def label():
    made = project.labels.create({"name": "shell", "color": "#ff0000"})
    made.new_name = "crack"
    made.save()
    equal([row["name"] for row in read(f"{BASE}/labels")], ["crack"])
    project.labels.delete("crack")
    equal(read(f"{BASE}/labels"), [])


@operation("creates and saves a milestone")
def milestone():
    made = project.milestones.create({"title": "Spring", "due_date": "2027-03-20"})
    made.title = "Thaw"
    made.save()
    row = read(f"{BASE}/milestones/{made.id}")
    equal([row["title"], row["due_date"]], ["Thaw", "2027-03-20"])
    return made


@operation("creates an issue")
def issue():
    made = project.issues.create(
        {
            "title": "It cracks",
            "labels": ["bug", "urgent"],
            "assignee_ids": [mate.id],
            "milestone_id": milestone.id,
        }
    )
    row = read(f"{BASE}/issues/{made.iid}")
    equal([row["labels"], row["assignee"]["id"], row["milestone"]["id"]], [["bug", "urgent"], mate.id, milestone.id])
    return made


ISSUE = f"{BASE}/issues/{issue.iid if issue else 0}"


@operation("lists issues")
def issues():
    equal(ids(project.issues.list(labels=["urgent"])), [issue.iid])
    equal([each.id for each in client.issues.list(search="cracks", in_="title")], [issue.id])


@operation("saves an issue")
def saved_issue():
    issue.description = "At the top"
    issue.save()
    equal(read(ISSUE)["description"], "At the top")


@operation("creates, saves and removes a note")
def note():
    made = issue.notes.create({"body": "Seen"})
    made.body = "Seen today"
    made.save()
    equal(read(f"{ISSUE}/notes/{made.id}")["body"], "Seen today")
    made.delete()
    equal(status_of(f"{ISSUE}/notes/{made.id}"), 404)


@operation("awards and takes back an emoji")
def award():
    made = issue.awardemojis.create({"name": "thumbsup"})
    equal([row["name"] for row in read(f"{ISSUE}/award_emoji")], ["thumbsup"])
    made.delete()
    equal(read(f"{ISSUE}/award_emoji"), [])


@operation("unsubscribes and subscribes")
def subscription():
    issue.unsubscribe()
    equal(read(ISSUE)["subscribed"], False)
    issue.subscribe()
    equal(read(ISSUE)["subscribed"], True)


@operation("adds a todo and marks it as done")
def todo():
    issue.todo()
    mine = [each for each in client.todos.list() if each.target["iid"] == issue.iid]
    equal(len(mine), 1)
    mine[0].mark_as_done()
    equal([row for row in read("/todos") if row["id"] == mine[0].id], [])


@operation("lists the participants of an issue")
def participants():
    assert USER_ID in ids(issue.participants())


@operation("lists merge requests that close or mention an issue")
def closed_by():
    equal(issue.closed_by(), [])
    equal(issue.related_merge_requests(), [])


@operation("closes an issue")
def closed():
    issue.state_event = "close"
    issue.save()
    equal(read(ISSUE)["state"], "closed")


@operation("starts a discussion")
def discussion():
    made = issue.discussions.create({"body": "Why?"})
    equal(read(f"{ISSUE}/discussions/{made.id}")["notes"][0]["body"], "Why?")


@operation("finds issues by search")
def search():
    equal([row["id"] for row in project.search("issues", "cracks")], [issue.id])


# Review


@operation("creates a merge request")
def request():
    made = project.mergerequests.create(
        {"source_branch": "egg", "target_branch": BRANCH, "title": "Add eggs", "labels": ["food"]}
    )
    row = read(f"{BASE}/merge_requests/{made.iid}")
    equal([row["title"], row["labels"], row["source_branch"]], ["Add eggs", ["food"], "egg"])
    return made


REQUEST = f"{BASE}/merge_requests/{request.iid if request else 0}"


@operation("saves a merge request")
def saved_request():
    request.description = "Two of them"
    request.save()
    equal(read(REQUEST)["description"], "Two of them")


@operation("asks for a review")
def review():
    request.reviewer_ids = [mate.id]
    request.save()
    equal(ids(read(REQUEST)["reviewers"]), [mate.id])


@operation("lists merge requests")
def requests():
    equal([each.id for each in project.mergerequests.list(state="opened")], [request.id])
    equal([each.id for each in group.mergerequests.list(state="opened")], [request.id])


@operation("lists commits and changes of a merge request")
def changes():
    equal([each.title for each in request.commits()], ["Lay eggs"])
    equal(len(request.changes()["changes"]), 3)


@operation("lists versions of a merge request")
def versions():
    version_id = request.diffs.list()[0].id
    equal(len(request.diffs.get(version_id).diffs), 3)


@operation("lists the pipelines of a merge request")
def request_pipelines():
    equal([each.sha for each in request.pipelines.list()], [commit.id])


@operation("shows approvals")
def approvals():
    equal(request.approvals.get().approvals_required, 0)


@operation("notes on a merge request")
def request_note():
    made = request.notes.create({"body": "Nice"})
    equal(read(f"{REQUEST}/notes/{made.id}")["body"], "Nice")


@operation("merges a merge request")
def merged():
    request.merge(should_remove_source_branch=True)
    equal(read(REQUEST)["state"], "merged")
    equal(status_of(f"{REPOSITORY}/branches/egg"), 404)
    equal(status_of(f"{REPOSITORY}/files/eggs%2Fone.txt?ref={BRANCH}"), 200)


@operation("raises an error of its own for a second merge")
def merged_twice():
    try:
        request.merge()
    except gitlab.exceptions.GitlabMRClosedError as error:
        equal(error.response_code, 405)
    else:
        raise AssertionError("It was merged again")


# Lists


@operation("follows pages")
def pages():
    for index in range(7):
        project.labels.create({"name": f"list {index}", "color": "#00ff00"})
    listed = project.labels.list(iterator=True, per_page=2)
    equal(sorted(each.id for each in listed), ids(read(f"{BASE}/labels?per_page=100")))


@operation("reads totals of a page")
def totals():
    listed = project.labels.list(iterator=True, per_page=2)
    rows = read(f"{BASE}/labels?per_page=100")
    equal([listed.total, listed.per_page, listed.next_page], [len(rows), 2, 2])


@operation("follows pages by key")
def keyset():
    listed = client.projects.list(
        iterator=True, pagination="keyset", order_by="id", per_page=1, owned=True
    )
    equal(sorted(each.id for each in listed), ids(read("/projects?owned=true&per_page=100")))


@operation("lists events")
def events():
    assert "pushed new" in [each.action_name for each in project.events.list(get_all=True)]


@operation("shows settings")
def settings():
    equal(admin.settings.get().default_projects_limit, read("/application/settings", ADMIN_TOKEN)["default_projects_limit"])


# The command line


def run(*arguments):
    """Runs the client's command and reads what it prints."""
    command = ["python-gitlab", "--server-url", URL, "--private-token", TOKEN, "--output", "json", *arguments]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@operation("shows the current user on the command line")
def command_user():
    equal(run("current-user", "get")["id"], USER_ID)


@operation("lists projects on the command line")
def command_projects():
    equal(ids(run("project", "list", "--owned", "true", "--get-all")), ids(read("/projects?owned=true&per_page=100")))


@operation("creates an issue on the command line")
def command_issue():
    made = run("project-issue", "create", "--project-id", "snakes/nest", "--title", "From a shell")
    equal(read(f"{BASE}/issues/{made['iid']}")["title"], "From a shell")


@operation("shows a file on the command line")
def command_file():
    made = run("project-file", "get", "--project-id", str(project.id), "--file-path", "eggs/one.txt", "--ref", BRANCH)
    equal(made["file_path"], "eggs/one.txt")


# Forks and deletions


@operation("forks a project")
def fork():
    made = project.forks.create({"path": "nest-of-mine", "name": "Nest of mine"})
    equal(read(f"/projects/{made.id}")["forked_from_project"]["id"], project.id)


@operation("archives and unarchives a project")
def archived():
    project.archive()
    equal(read(BASE)["archived"], True)
    project.unarchive()
    equal(read(BASE)["archived"], False)


@operation("removes a file and a branch")
def removed_parts():
    project.files.delete(file_path="eggs/one.txt", branch=BRANCH, commit_message="Hatch")
    equal(status_of(f"{REPOSITORY}/files/eggs%2Fone.txt?ref={BRANCH}"), 404)
    project.branches.delete("picked")
    equal(status_of(f"{REPOSITORY}/branches/picked"), 404)


@operation("removes a project, a group and a user")
def removed():
    project.delete()
    equal(status_of(BASE), 404)
    group.delete()
    equal(status_of(f"/groups/{group.id}"), 404)
    mate.delete()
    equal(status_of(f"/users/{mate.id}", ADMIN_TOKEN), 404)
