// go-gitlab, which glab and Terraform's provider stand on: a group, a project with its repository, planning, review and releases.
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	gitlab "github.com/xanzy/go-gitlab"
)

const (
	shownCharacters = 500
	deliveryLimit   = 60 * time.Second
)

var (
	service    = os.Getenv("SERVICE")
	token      = os.Getenv("TOKEN")
	adminToken = os.Getenv("ADMIN_TOKEN")
	username   = os.Getenv("USERNAME")
	results    *os.File
)

// operation carries out an operation with the checks of what it did, and notes whether it passed.
func operation(name string, work func()) {
	var problem *string
	func() {
		defer func() {
			if cause := recover(); cause != nil {
				text := strings.Join(strings.Fields(fmt.Sprint(cause)), " ")
				if len(text) > shownCharacters {
					text = text[:shownCharacters]
				}
				problem = &text
			}
		}()
		work()
	}()
	line, _ := json.Marshal(map[string]interface{}{"operation": name, "problem": problem})
	if _, err := results.Write(append(line, '\n')); err != nil {
		panic(err)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func equal(actual, expected interface{}) {
	if !reflect.DeepEqual(actual, expected) {
		panic(fmt.Sprintf("%#v instead of %#v", actual, expected))
	}
}

// call reads from version 4 without the client.
func call(route, as string) (int, []byte) {
	request, err := http.NewRequest(http.MethodGet, service+"/api/v4"+route, nil)
	check(err)
	request.Header.Set("PRIVATE-TOKEN", as)
	response, err := http.DefaultClient.Do(request)
	check(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	check(err)
	return response.StatusCode, body
}

func statusOf(route, as string) int {
	status, _ := call(route, as)
	return status
}

// read reads an object of the service, or fails.
func read(route, as string) map[string]interface{} {
	status, body := call(route, as)
	if status != http.StatusOK {
		panic(fmt.Sprintf("GET %s answers %d %s", route, status, body))
	}
	row := map[string]interface{}{}
	check(json.Unmarshal(body, &row))
	return row
}

// receiver decodes what hooks deliver with ParseWebhook.
type receiver struct {
	sync.Mutex
	server   *httptest.Server
	events   map[gitlab.EventType][]interface{}
	problems []string
}

func newReceiver() *receiver {
	r := &receiver{events: map[gitlab.EventType][]interface{}{}}
	r.server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		kind := gitlab.HookEventType(request)
		var event interface{}
		if err == nil {
			event, err = gitlab.ParseWebhook(kind, body)
		}
		r.Lock()
		defer r.Unlock()
		if err != nil {
			r.problems = append(r.problems, fmt.Sprintf("%s: %s", kind, err))
		}
		r.events[kind] = append(r.events[kind], event)
	}))
	return r
}

// await waits for an event of a kind that passes a check.
func (r *receiver) await(kind gitlab.EventType, matches func(event interface{}) bool) {
	for deadline := time.Now().Add(deliveryLimit); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		r.Lock()
		events, problems := r.events[kind], r.problems
		r.Unlock()
		if len(problems) > 0 {
			panic(strings.Join(problems, "; "))
		}
		for _, event := range events {
			if matches(event) {
				return
			}
		}
	}
	panic(fmt.Sprintf("no such %s among %d", kind, len(r.events[kind])))
}

type driver struct {
	client, admin *gitlab.Client
	receiver      *receiver
	mate          *gitlab.User
	group         *gitlab.Group
	project       *gitlab.Project
	milestone     *gitlab.Milestone
	issue         *gitlab.Issue
	request       *gitlab.MergeRequest
	commit        *gitlab.Commit
	base, branch  string
}

func clientOf(as string) *gitlab.Client {
	client, err := gitlab.NewClient(as, gitlab.WithBaseURL(service))
	check(err)
	return client
}

func (d *driver) accounts() {
	operation("shows the version", func() {
		version, _, err := d.client.Version.GetVersion()
		check(err)
		equal(version.Version, read("/version", token)["version"])
	})
	operation("shows the current user", func() {
		user, _, err := d.client.Users.CurrentUser()
		check(err)
		equal(user.Username, username)
	})
	operation("refuses a token that is unknown", func() {
		_, response, err := clientOf("of-nobody-at-all").Users.CurrentUser()
		if err == nil {
			panic("it was taken")
		}
		equal(response.StatusCode, http.StatusUnauthorized)
	})
	operation("creates a user", func() {
		user, _, err := d.admin.Users.CreateUser(&gitlab.CreateUserOptions{
			Username: gitlab.String("go-mate"), Name: gitlab.String("Mate"),
			Email: gitlab.String("go-mate@example.com"), Password: gitlab.String("password of the mate"),
			SkipConfirmation: gitlab.Bool(true),
		})
		check(err)
		d.mate = user
		equal(read(fmt.Sprintf("/users/%d", user.ID), adminToken)["name"], "Mate")
	})
	operation("finds a user by name", func() {
		users, _, err := d.client.Users.ListUsers(&gitlab.ListUsersOptions{Username: gitlab.String("go-mate")})
		check(err)
		equal([]int{users[0].ID}, []int{d.mate.ID})
	})
	operation("acts in the name of another user", func() {
		user, _, err := d.admin.Users.CurrentUser(gitlab.WithSudo(username))
		check(err)
		equal(user.Username, username)
	})
}

func (d *driver) projects() {
	operation("creates a group", func() {
		group, _, err := d.client.Groups.CreateGroup(&gitlab.CreateGroupOptions{
			Name: gitlab.String("Gophers"), Path: gitlab.String("gophers"),
			Visibility: gitlab.Visibility(gitlab.PublicVisibility),
		})
		check(err)
		d.group = group
		equal(read("/groups/gophers", token)["visibility"], "public")
	})
	operation("creates a project", func() {
		project, _, err := d.client.Projects.CreateProject(&gitlab.CreateProjectOptions{
			Name: gitlab.String("Burrow"), NamespaceID: gitlab.Int(d.group.ID),
			InitializeWithReadme: gitlab.Bool(true),
		})
		check(err)
		d.project, d.base, d.branch = project, fmt.Sprintf("/projects/%d", project.ID), project.DefaultBranch
		equal(read(d.base, token)["path_with_namespace"], "gophers/burrow")
	})
	operation("shows a project by its path", func() {
		project, _, err := d.client.Projects.GetProject("gophers/burrow", nil)
		check(err)
		equal(project.ID, d.project.ID)
	})
	operation("edits a project", func() {
		_, _, err := d.client.Projects.EditProject(d.project.ID, &gitlab.EditProjectOptions{
			Description: gitlab.String("Deep"), MergeMethod: gitlab.MergeMethod(gitlab.RebaseMerge),
		})
		check(err)
		row := read(d.base, token)
		equal([]interface{}{row["description"], row["merge_method"]}, []interface{}{"Deep", "rebase_merge"})
		_, _, err = d.client.Projects.EditProject(d.project.ID, &gitlab.EditProjectOptions{
			MergeMethod: gitlab.MergeMethod(gitlab.NoFastForwardMerge),
		})
		check(err)
	})
	operation("lists the projects of a group", func() {
		projects, _, err := d.client.Groups.ListGroupProjects(d.group.ID, nil)
		check(err)
		equal([]int{projects[0].ID}, []int{d.project.ID})
	})
	operation("adds, edits and removes a member", func() {
		route := fmt.Sprintf("%s/members/%d", d.base, d.mate.ID)
		_, _, err := d.client.ProjectMembers.AddProjectMember(d.project.ID, &gitlab.AddProjectMemberOptions{
			UserID: d.mate.ID, AccessLevel: gitlab.AccessLevel(gitlab.DeveloperPermissions),
		})
		check(err)
		equal(read(route, token)["access_level"], 30.0)
		_, _, err = d.client.ProjectMembers.EditProjectMember(d.project.ID, d.mate.ID, &gitlab.EditProjectMemberOptions{
			AccessLevel: gitlab.AccessLevel(gitlab.MaintainerPermissions),
		})
		check(err)
		equal(read(route, token)["access_level"], 40.0)
		inherited, _, err := d.client.ProjectMembers.GetInheritedProjectMember(d.project.ID, d.mate.ID)
		check(err)
		equal(inherited.AccessLevel, gitlab.MaintainerPermissions)
		_, err = d.client.ProjectMembers.DeleteProjectMember(d.project.ID, d.mate.ID)
		check(err)
		equal(statusOf(route, token), http.StatusNotFound)
	})
	operation("adds, edits and removes a hook", func() {
		hook, _, err := d.client.Projects.AddProjectHook(d.project.ID, &gitlab.AddProjectHookOptions{
			URL: gitlab.String("http://127.0.0.1:9/"), MergeRequestsEvents: gitlab.Bool(true),
		})
		check(err)
		route := fmt.Sprintf("%s/hooks/%d", d.base, hook.ID)
		equal(read(route, token)["merge_requests_events"], true)
		_, _, err = d.client.Projects.EditProjectHook(d.project.ID, hook.ID, &gitlab.EditProjectHookOptions{
			URL: gitlab.String("http://127.0.0.1:9/"), NoteEvents: gitlab.Bool(true),
		})
		check(err)
		equal(read(route, token)["note_events"], true)
		_, err = d.client.Projects.DeleteProjectHook(d.project.ID, hook.ID)
		check(err)
		equal(statusOf(route, token), http.StatusNotFound)
	})
}

// listen has all events of the project delivered to the driver.
func (d *driver) listen() {
	operation("has all events delivered", func() {
		on := gitlab.Bool(true)
		_, _, err := d.client.Projects.AddProjectHook(d.project.ID, &gitlab.AddProjectHookOptions{
			URL: gitlab.String(d.receiver.server.URL), PushEvents: on, TagPushEvents: on, IssuesEvents: on,
			ConfidentialIssuesEvents: on, NoteEvents: on, ConfidentialNoteEvents: on, MergeRequestsEvents: on,
			JobEvents: on, PipelineEvents: on, ReleasesEvents: on,
		})
		check(err)
	})
}

func (d *driver) deliveries() {
	operation("decodes pushes", func() {
		d.receiver.await(gitlab.EventTypePush, func(event interface{}) bool {
			push := event.(*gitlab.PushEvent)
			return push.Ref == "refs/heads/den" && push.UserUsername == username && len(push.Commits) == 1
		})
		d.receiver.await(gitlab.EventTypeTagPush, func(event interface{}) bool {
			return event.(*gitlab.TagEvent).Ref == "refs/tags/v1"
		})
	})
	operation("decodes issues", func() {
		d.receiver.await(gitlab.EventTypeIssue, func(event interface{}) bool {
			issue := event.(*gitlab.IssueEvent)
			return issue.ObjectAttributes.Action == "close" && issue.ObjectAttributes.IID == d.issue.IID
		})
		d.receiver.await(gitlab.EventConfidentialIssue, func(event interface{}) bool {
			return event.(*gitlab.IssueEvent).ObjectAttributes.Title == "Hidden"
		})
	})
	operation("decodes notes", func() {
		d.receiver.await(gitlab.EventTypeNote, func(event interface{}) bool {
			note, ok := event.(*gitlab.IssueCommentEvent)
			return ok && note.ObjectAttributes.Note == "Thick" && note.Issue.IID == d.issue.IID
		})
		d.receiver.await(gitlab.EventTypeNote, func(event interface{}) bool {
			note, ok := event.(*gitlab.MergeCommentEvent)
			return ok && note.ObjectAttributes.Note == "Softer" && note.ObjectAttributes.Position.NewLine == 1
		})
		d.receiver.await(gitlab.EventTypeNote, func(event interface{}) bool {
			note, ok := event.(*gitlab.CommitCommentEvent)
			return ok && note.ObjectAttributes.Note == "Cosy" && note.Commit.ID == d.commit.ID
		})
		d.receiver.await(gitlab.EventConfidentialNote, func(event interface{}) bool {
			return event.(*gitlab.IssueCommentEvent).ObjectAttributes.Note == "Do not tell"
		})
	})
	operation("decodes merge requests", func() {
		for _, action := range []string{"open", "update", "approved", "merge"} {
			d.receiver.await(gitlab.EventTypeMergeRequest, func(event interface{}) bool {
				return event.(*gitlab.MergeEvent).ObjectAttributes.Action == action
			})
		}
	})
	operation("decodes jobs and pipelines", func() {
		d.receiver.await(gitlab.EventTypeJob, func(event interface{}) bool {
			return event.(*gitlab.JobEvent).BuildName == "inspect"
		})
		d.receiver.await(gitlab.EventTypePipeline, func(event interface{}) bool {
			return event.(*gitlab.PipelineEvent).ObjectAttributes.Status == "success"
		})
	})
	operation("decodes releases", func() {
		for _, action := range []string{"create", "update", "delete"} {
			d.receiver.await(gitlab.EventTypeRelease, func(event interface{}) bool {
				release := event.(*gitlab.ReleaseEvent)
				return release.Action == action && release.Tag == "v2"
			})
		}
	})
	d.receiver.server.Close()
}

func (d *driver) repository() {
	operation("creates, edits and shows a file", func() {
		_, _, err := d.client.RepositoryFiles.CreateFile(d.project.ID, "go/tunnel.txt", &gitlab.CreateFileOptions{
			Branch: gitlab.String(d.branch), Content: gitlab.String("short\n"), CommitMessage: gitlab.String("Dig"),
		})
		check(err)
		_, _, err = d.client.RepositoryFiles.UpdateFile(d.project.ID, "go/tunnel.txt", &gitlab.UpdateFileOptions{
			Branch: gitlab.String(d.branch), Content: gitlab.String("long\n"), CommitMessage: gitlab.String("Dig on"),
		})
		check(err)
		file, _, err := d.client.RepositoryFiles.GetFile(d.project.ID, "go/tunnel.txt", &gitlab.GetFileOptions{
			Ref: gitlab.String(d.branch),
		})
		check(err)
		content, err := base64.StdEncoding.DecodeString(file.Content)
		check(err)
		equal(string(content), "long\n")
	})
	operation("shows the facts of a file by its headers", func() {
		file, _, err := d.client.RepositoryFiles.GetFileMetaData(d.project.ID, "go/tunnel.txt", &gitlab.GetFileMetaDataOptions{
			Ref: gitlab.String(d.branch),
		})
		check(err)
		equal([]interface{}{file.FileName, file.Size}, []interface{}{"tunnel.txt", 5})
	})
	operation("creates a branch", func() {
		_, _, err := d.client.Branches.CreateBranch(d.project.ID, &gitlab.CreateBranchOptions{
			Branch: gitlab.String("den"), Ref: gitlab.String(d.branch),
		})
		check(err)
		equal(read(d.base+"/repository/branches/den", token)["name"], "den")
	})
	operation("creates a commit of several actions", func() {
		commit, _, err := d.client.Commits.CreateCommit(d.project.ID, &gitlab.CreateCommitOptions{
			Branch: gitlab.String("den"), CommitMessage: gitlab.String("Furnish"),
			Actions: []*gitlab.CommitActionOptions{
				{Action: gitlab.FileAction(gitlab.FileCreate), FilePath: gitlab.String("bed.txt"), Content: gitlab.String("soft\n")},
				{Action: gitlab.FileAction(gitlab.FileMove), FilePath: gitlab.String("go/hall.txt"), PreviousPath: gitlab.String("go/tunnel.txt")},
			},
		})
		check(err)
		d.commit = commit
		head := read(d.base+"/repository/branches/den", token)["commit"].(map[string]interface{})
		equal(head["id"], commit.ID)
	})
	operation("lists a tree", func() {
		tree, _, err := d.client.Repositories.ListTree(d.project.ID, &gitlab.ListTreeOptions{
			Ref: gitlab.String("den"), Recursive: gitlab.Bool(true),
		})
		check(err)
		paths := []string{}
		for _, node := range tree {
			paths = append(paths, node.Path)
		}
		sort.Strings(paths)
		equal(paths, []string{"README.md", "bed.txt", "go", "go/hall.txt"})
	})
	operation("lists commits, their diffs and refs", func() {
		commits, _, err := d.client.Commits.ListCommits(d.project.ID, &gitlab.ListCommitsOptions{RefName: gitlab.String("den")})
		check(err)
		titles := []string{}
		for _, commit := range commits {
			titles = append(titles, commit.Title)
		}
		equal(titles, []string{"Furnish", "Dig on", "Dig", "Initial commit"})
		diffs, _, err := d.client.Commits.GetCommitDiff(d.project.ID, d.commit.ID, nil)
		check(err)
		equal(len(diffs), 2)
		refs, _, err := d.client.Commits.GetCommitRefs(d.project.ID, d.commit.ID, &gitlab.GetCommitRefsOptions{Type: gitlab.String("branch")})
		check(err)
		equal(refs[0].Name, "den")
	})
	operation("compares branches", func() {
		comparison, _, err := d.client.Repositories.Compare(d.project.ID, &gitlab.CompareOptions{
			From: gitlab.String(d.branch), To: gitlab.String("den"),
		})
		check(err)
		equal([]int{len(comparison.Commits), len(comparison.Diffs)}, []int{1, 2})
	})
	operation("comments on a commit", func() {
		comment, _, err := d.client.Commits.PostCommitComment(d.project.ID, d.commit.ID, &gitlab.PostCommitCommentOptions{Note: gitlab.String("Cosy")})
		check(err)
		equal(comment.Note, "Cosy")
	})
	operation("sets the status of a commit", func() {
		_, _, err := d.client.Commits.SetCommitStatus(d.project.ID, d.commit.ID, &gitlab.SetCommitStatusOptions{
			State: gitlab.Success, Name: gitlab.String("inspect"), Ref: gitlab.String("den"),
		})
		check(err)
		statuses, _, err := d.client.Commits.GetCommitStatuses(d.project.ID, d.commit.ID, nil)
		check(err)
		equal([]string{statuses[0].Name, statuses[0].Status}, []string{"inspect", "success"})
	})
	operation("lists pipelines", func() {
		pipelines, _, err := d.client.Pipelines.ListProjectPipelines(d.project.ID, nil)
		check(err)
		equal([]string{pipelines[0].SHA, pipelines[0].Status}, []string{d.commit.ID, "success"})
	})
	operation("cherry-picks a commit", func() {
		_, _, err := d.client.Branches.CreateBranch(d.project.ID, &gitlab.CreateBranchOptions{
			Branch: gitlab.String("picked"), Ref: gitlab.String(d.branch),
		})
		check(err)
		picked, _, err := d.client.Commits.CherryPickCommit(d.project.ID, d.commit.ID, &gitlab.CherryPickCommitOptions{Branch: gitlab.String("picked")})
		check(err)
		equal(picked.Title, "Furnish")
	})
	operation("creates and removes a tag", func() {
		_, _, err := d.client.Tags.CreateTag(d.project.ID, &gitlab.CreateTagOptions{
			TagName: gitlab.String("v1"), Ref: gitlab.String(d.branch), Message: gitlab.String("First"),
		})
		check(err)
		equal(read(d.base+"/repository/tags/v1", token)["message"], "First")
		_, err = d.client.Tags.DeleteTag(d.project.ID, "v1")
		check(err)
		equal(statusOf(d.base+"/repository/tags/v1", token), http.StatusNotFound)
	})
	operation("protects a branch by level", func() {
		_, _, err := d.client.ProtectedBranches.ProtectRepositoryBranches(d.project.ID, &gitlab.ProtectRepositoryBranchesOptions{
			Name: gitlab.String("picked"), PushAccessLevel: gitlab.AccessLevel(gitlab.MaintainerPermissions),
		})
		check(err)
		equal(read(d.base+"/repository/branches/picked", token)["protected"], true)
	})
}

func (d *driver) planning() {
	operation("creates and edits a label", func() {
		_, _, err := d.client.Labels.CreateLabel(d.project.ID, &gitlab.CreateLabelOptions{Name: gitlab.String("deep"), Color: gitlab.String("#ff0000")})
		check(err)
		label, _, err := d.client.Labels.UpdateLabel(d.project.ID, &gitlab.UpdateLabelOptions{Name: gitlab.String("deep"), NewName: gitlab.String("deeper")})
		check(err)
		equal(read(fmt.Sprintf("%s/labels/%d", d.base, label.ID), token)["name"], "deeper")
	})
	operation("creates a milestone", func() {
		due := gitlab.ISOTime{}
		check(due.UnmarshalJSON([]byte(`"2027-03-20"`)))
		milestone, _, err := d.client.Milestones.CreateMilestone(d.project.ID, &gitlab.CreateMilestoneOptions{Title: gitlab.String("Spring"), DueDate: &due})
		check(err)
		d.milestone = milestone
		equal(read(fmt.Sprintf("%s/milestones/%d", d.base, milestone.ID), token)["due_date"], "2027-03-20")
	})
	operation("creates an issue", func() {
		issue, _, err := d.client.Issues.CreateIssue(d.project.ID, &gitlab.CreateIssueOptions{
			Title: gitlab.String("Roots"), Labels: &gitlab.Labels{"bug", "urgent"}, MilestoneID: gitlab.Int(d.milestone.ID),
		})
		check(err)
		d.issue = issue
		equal(read(fmt.Sprintf("%s/issues/%d", d.base, issue.IID), token)["labels"], []interface{}{"bug", "urgent"})
	})
	operation("lists issues", func() {
		issues, _, err := d.client.Issues.ListProjectIssues(d.project.ID, &gitlab.ListProjectIssuesOptions{Labels: &gitlab.Labels{"urgent"}})
		check(err)
		equal([]int{issues[0].ID, len(issues)}, []int{d.issue.ID, 1})
	})
	operation("comments on an issue, and edits that", func() {
		note, _, err := d.client.Notes.CreateIssueNote(d.project.ID, d.issue.IID, &gitlab.CreateIssueNoteOptions{Body: gitlab.String("Thick")})
		check(err)
		_, _, err = d.client.Notes.UpdateIssueNote(d.project.ID, d.issue.IID, note.ID, &gitlab.UpdateIssueNoteOptions{Body: gitlab.String("Thick ones")})
		check(err)
		route := fmt.Sprintf("%s/issues/%d/notes/%d", d.base, d.issue.IID, note.ID)
		equal(read(route, token)["body"], "Thick ones")
	})
	operation("begins and answers a thread", func() {
		thread, _, err := d.client.Discussions.CreateIssueDiscussion(d.project.ID, d.issue.IID, &gitlab.CreateIssueDiscussionOptions{Body: gitlab.String("Cut?")})
		check(err)
		_, _, err = d.client.Discussions.AddIssueDiscussionNote(d.project.ID, d.issue.IID, thread.ID, &gitlab.AddIssueDiscussionNoteOptions{Body: gitlab.String("No")})
		check(err)
		route := fmt.Sprintf("%s/issues/%d/discussions/%s", d.base, d.issue.IID, thread.ID)
		equal(len(read(route, token)["notes"].([]interface{})), 2)
	})
	operation("tracks time", func() {
		_, _, err := d.client.Issues.SetTimeEstimate(d.project.ID, d.issue.IID, &gitlab.SetTimeEstimateOptions{Duration: gitlab.String("2h")})
		check(err)
		stats, _, err := d.client.Issues.AddSpentTime(d.project.ID, d.issue.IID, &gitlab.AddSpentTimeOptions{Duration: gitlab.String("30m")})
		check(err)
		equal([]int{stats.TimeEstimate, stats.TotalTimeSpent}, []int{7200, 1800})
	})
	operation("keeps an issue confidential", func() {
		issue, _, err := d.client.Issues.CreateIssue(d.project.ID, &gitlab.CreateIssueOptions{Title: gitlab.String("Hidden"), Confidential: gitlab.Bool(true)})
		check(err)
		_, _, err = d.client.Notes.CreateIssueNote(d.project.ID, issue.IID, &gitlab.CreateIssueNoteOptions{Body: gitlab.String("Do not tell")})
		check(err)
		equal(read(fmt.Sprintf("%s/issues/%d", d.base, issue.IID), token)["confidential"], true)
	})
	operation("closes an issue", func() {
		_, _, err := d.client.Issues.UpdateIssue(d.project.ID, d.issue.IID, &gitlab.UpdateIssueOptions{StateEvent: gitlab.String("close")})
		check(err)
		equal(read(fmt.Sprintf("%s/issues/%d", d.base, d.issue.IID), token)["state"], "closed")
	})
	operation("follows pages", func() {
		for number := 1; number <= 7; number++ {
			_, _, err := d.client.Labels.CreateLabel(d.project.ID, &gitlab.CreateLabelOptions{
				Name: gitlab.String("list " + strconv.Itoa(number)), Color: gitlab.String("#00ff00"),
			})
			check(err)
		}
		names := map[string]bool{}
		options := &gitlab.ListLabelsOptions{ListOptions: gitlab.ListOptions{PerPage: 2}}
		for {
			labels, response, err := d.client.Labels.ListLabels(d.project.ID, options)
			check(err)
			for _, label := range labels {
				names[label.Name] = true
			}
			if response.NextPage == 0 {
				break
			}
			options.Page = response.NextPage
		}
		equal(len(names), 10)
	})
}

func (d *driver) review() {
	route := func() string { return fmt.Sprintf("%s/merge_requests/%d", d.base, d.request.IID) }
	operation("creates a merge request", func() {
		request, _, err := d.client.MergeRequests.CreateMergeRequest(d.project.ID, &gitlab.CreateMergeRequestOptions{
			SourceBranch: gitlab.String("den"), TargetBranch: gitlab.String(d.branch), Title: gitlab.String("Add a den"),
		})
		check(err)
		d.request = request
		equal(read(route(), token)["title"], "Add a den")
	})
	operation("edits a merge request", func() {
		_, _, err := d.client.MergeRequests.UpdateMergeRequest(d.project.ID, d.request.IID, &gitlab.UpdateMergeRequestOptions{Description: gitlab.String("Warm")})
		check(err)
		equal(read(route(), token)["description"], "Warm")
	})
	operation("lists the changes of a merge request", func() {
		changes, _, err := d.client.MergeRequests.GetMergeRequestChanges(d.project.ID, d.request.IID, nil)
		check(err)
		equal(len(changes.Changes), 2)
	})
	operation("comments on a line and resolves that", func() {
		request, _, err := d.client.MergeRequests.GetMergeRequest(d.project.ID, d.request.IID, nil)
		check(err)
		thread, _, err := d.client.Discussions.CreateMergeRequestDiscussion(d.project.ID, d.request.IID, &gitlab.CreateMergeRequestDiscussionOptions{
			Body: gitlab.String("Softer"),
			Position: &gitlab.NotePosition{
				BaseSHA: request.DiffRefs.BaseSha, StartSHA: request.DiffRefs.StartSha, HeadSHA: request.DiffRefs.HeadSha,
				PositionType: "text", NewPath: "bed.txt", OldPath: "bed.txt", NewLine: 1,
			},
		})
		check(err)
		equal(thread.Notes[0].Position.NewLine, 1)
		_, _, err = d.client.Discussions.ResolveMergeRequestDiscussion(d.project.ID, d.request.IID, thread.ID, &gitlab.ResolveMergeRequestDiscussionOptions{Resolved: gitlab.Bool(true)})
		check(err)
		notes := read(route()+"/discussions/"+thread.ID, token)["notes"].([]interface{})
		equal(notes[0].(map[string]interface{})["resolved"], true)
	})
	operation("approves a merge request", func() {
		// Its author may not.
		_, _, err := d.admin.MergeRequestApprovals.ApproveMergeRequest(d.project.ID, d.request.IID, nil)
		check(err)
		approvals, _, err := d.client.MergeRequests.GetMergeRequestApprovals(d.project.ID, d.request.IID)
		check(err)
		equal([]interface{}{approvals.Approved, approvals.ApprovedBy[0].User.Username}, []interface{}{true, "root"})
	})
	operation("merges a merge request", func() {
		_, _, err := d.client.MergeRequests.AcceptMergeRequest(d.project.ID, d.request.IID, &gitlab.AcceptMergeRequestOptions{
			ShouldRemoveSourceBranch: gitlab.Bool(true), SHA: gitlab.String(d.commit.ID),
		})
		check(err)
		equal(read(route(), token)["state"], "merged")
		equal(statusOf(d.base+"/repository/branches/den", token), http.StatusNotFound)
	})
}

func (d *driver) releases() {
	operation("creates a release with a link", func() {
		_, _, err := d.client.Releases.CreateRelease(d.project.ID, &gitlab.CreateReleaseOptions{
			TagName: gitlab.String("v2"), Ref: gitlab.String(d.branch), Name: gitlab.String("Two"), Description: gitlab.String("Deeper"),
			Assets: &gitlab.ReleaseAssetsOptions{Links: []*gitlab.ReleaseAssetLinkOptions{
				{Name: gitlab.String("map"), URL: gitlab.String("https://maps.example.com/burrow")},
			}},
		})
		check(err)
		links, _, err := d.client.ReleaseLinks.ListReleaseLinks(d.project.ID, "v2", nil)
		check(err)
		equal([]string{read(d.base+"/releases/v2", token)["name"].(string), links[0].Name}, []string{"Two", "map"})
	})
	operation("edits and deletes a release", func() {
		_, _, err := d.client.Releases.UpdateRelease(d.project.ID, "v2", &gitlab.UpdateReleaseOptions{Name: gitlab.String("Second")})
		check(err)
		equal(read(d.base+"/releases/v2", token)["name"], "Second")
		_, _, err = d.client.Releases.DeleteRelease(d.project.ID, "v2")
		check(err)
		equal(statusOf(d.base+"/releases/v2", token), http.StatusNotFound)
	})
}

func (d *driver) deletions() {
	operation("removes a project, a group and a user", func() {
		_, err := d.client.Projects.DeleteProject(d.project.ID)
		check(err)
		equal(statusOf(d.base, token), http.StatusNotFound)
		_, err = d.client.Groups.DeleteGroup(d.group.ID)
		check(err)
		equal(statusOf(fmt.Sprintf("/groups/%d", d.group.ID), token), http.StatusNotFound)
		_, err = d.admin.Users.DeleteUser(d.mate.ID)
		check(err)
		equal(statusOf(fmt.Sprintf("/users/%d", d.mate.ID), adminToken), http.StatusNotFound)
	})
}

func main() {
	file, err := os.OpenFile(os.Getenv("CLIENT_RESULTS"), os.O_APPEND|os.O_WRONLY, 0)
	check(err)
	results = file
	d := &driver{client: clientOf(token), admin: clientOf(adminToken), receiver: newReceiver()}
	d.accounts()
	d.projects()
	d.listen()
	d.repository()
	d.planning()
	d.review()
	d.releases()
	d.deliveries()
	d.deletions()
}
