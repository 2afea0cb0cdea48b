import type { MadeGroup, MadeProject, Person } from '../../../support/factories.js';
import { newKey } from '../../../support/public-keys.js';
import type { Trellis } from '../../../support/trellis.js';

type Row = Readonly<Record<string, unknown>>;

/** What requests name. There is one or a few of each kind. */
export interface YoungInstance {
  readonly owner: Person;
  readonly admin: Person;
  /** A member of the project and of the group. */
  readonly member: Person;
  /** Sees the project, since it is public. */
  readonly visitor: Person;
  /** Nothing refers to it. */
  readonly candidate: Person;
  readonly group: MadeGroup;
  readonly otherGroup: MadeGroup;
  readonly project: MadeProject;
  readonly otherProject: MadeProject;
  /** The only commit of `master`. */
  readonly head: string;
  /** By the names of parameters in paths; of `issues` unless the kind of the target is part of the name. */
  readonly ids: Readonly<Record<string, number | string>>;
}

/** Fills an empty instance with little, through the API. */
export async function foundInstance(trellis: Trellis): Promise<YoungInstance> {
  const { factories } = trellis;
  const owner = await factories.user({ username: 'owner', projectsLimit: 10_000 });
  const admin = await factories.admin();
  const member = await factories.user({ username: 'member' });
  const visitor = await factories.user({ username: 'visitor' });
  const candidate = await factories.user({ username: 'candidate' });
  const group = await factories.group(owner, { path: 'crew' });
  const otherGroup = await factories.group(owner, { path: 'others' });
  const inGroup = { visibilityLevel: 20, namespaceId: group.id };
  const project = await factories.project(owner, { name: 'app', ...inGroup });
  const otherProject = await factories.project(owner, { name: 'lib', visibilityLevel: 20 });
  await factories.addToGroup(group, member, 20);
  await factories.addToProject(project, member, 30);
  await factories.share(otherProject, group, 20);
  const at = `/projects/${String(project.id)}`;
  const as = trellis.as(owner);
  const post = async (path: string, body: object = {}, client = as): Promise<Row> => {
    const answer = await client.post(path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
    return answer.body as Row;
  };
  const commit = (branch: string, file: string, of = at) =>
    post(`${of}/repository/files`, {
      ...{ branch_name: branch, file_path: file, content: 'Text\n', commit_message: file },
    });
  await commit('master', 'README.md');
  await commit('master', 'README.md', `/projects/${String(otherProject.id)}`);
  for (const branch of ['topic', 'second', 'third']) {
    await post(`${at}/repository/branches`, { branch_name: branch, ref: 'master' });
    await commit(branch, `${branch}.md`);
  }
  await post(`${at}/repository/branches`, { branch_name: 'merged', ref: 'master' });
  const { commit: tip } = (await as.get(`${at}/repository/branches/master`)).body as {
    commit: Row;
  };
  const head = String(tip['id']);
  const { commit: topic } = (await as.get(`${at}/repository/branches/topic`)).body as {
    commit: Row;
  };
  await post(`${at}/repository/tags`, {
    tag_name: 'v1',
    ref: 'master',
    release_description: 'One',
  });
  await post(`${at}/repository/tags`, { tag_name: 'v2', ref: 'master' });
  const milestone = await post(`${at}/milestones`, { title: 'One' });
  const releaseLink = await post(
    `${at}/releases/v1/assets/links`,
    { name: 'Binary', url: 'https://files.example.com/tool', direct_asset_path: '/tool' },
    as.v4,
  );
  await post(`${at}/labels`, { name: 'bug', color: '#d9534f' });
  await post(`${at}/labels/bug/subscription`);
  const ofGroup = `/groups/${String(group.id)}`;
  const groupMilestone = await post(`${ofGroup}/milestones`, { title: 'All' }, as.v4);
  await post(`${ofGroup}/labels`, { name: 'inherited', color: '#d9534f' }, as.v4);
  const hook = await post(`${at}/hooks`, { url: 'https://receiver.example.com/', ...ALL });
  const systemHook = await post(
    '/hooks',
    { url: 'https://receiver.example.com/', ...ALL },
    trellis.as(admin),
  );
  const issue = await post(`${at}/issues`, {
    ...{ title: 'First', description: 'For @member, see !1', labels: 'bug,inherited' },
    ...{ milestone_id: milestone['id'], assignee_id: owner.user.id },
  });
  const second = await post(
    `${at}/issues`,
    { title: 'Second', assignee_id: owner.user.id, description: 'As #1' },
    trellis.as(member),
  );
  const issueLink = await post(
    `${at}/issues/${String(issue['iid'])}/links`,
    { target_project_id: project.id, target_issue_iid: second['iid'] },
    as.v4,
  );
  const issueNote = await post(`${at}/issues/${String(issue['id'])}/notes`, {
    body: 'For @member',
  });
  const ofIssue = `${at}/issues/${String(issue['id'])}`;
  const issueAward = await post(`${ofIssue}/award_emoji`, { name: 'rocket' });
  const issueNoteAward = await post(`${ofIssue}/notes/${String(issueNote['id'])}/award_emoji`, {
    name: 'heart',
  });
  const request = await post(`${at}/merge_requests`, {
    ...{ source_branch: 'topic', target_branch: 'master', title: 'Topic', labels: 'bug' },
    ...{
      description: `Closes #${String(issue['iid'])}`,
      assignee_id: owner.user.id,
      milestone_id: milestone['id'],
    },
  });
  const secondRequest = await post(`${at}/merge_requests`, {
    source_branch: 'second',
    target_branch: 'master',
    title: 'Second',
  });
  const blob = (await as.get(`${at}/repository/tree`)).body as Row[];
  const ofRequest = `${at}/merge_requests/${String(request['id'])}`;
  const requestNote = await post(`${ofRequest}/notes`, { body: 'For @member' });
  const requestAward = await post(`${ofRequest}/award_emoji`, { name: 'rocket' });
  const requestNoteAward = await post(
    `${ofRequest}/notes/${String(requestNote['id'])}/award_emoji`,
    { name: 'heart' },
  );
  const begin = async (kind: string, { iid }: Row) => {
    const path = `${at}/${kind}/${String(iid)}/discussions`;
    return (await as.v4.post(path, { body: 'Why?' }).expect(201)).body as Row & { notes: Row[] };
  };
  const issueThread = await begin('issues', issue);
  const requestThread = await begin('merge_requests', request);
  const ownRequest = `${at}/merge_requests/${String(request['iid'])}`;
  const draftNote = await post(`${ownRequest}/draft_notes`, { note: 'Later' }, as.v4);
  const onCommit = `${at}/repository/commits/${head}/discussions`;
  const commitThread = (await as.v4.post(onCommit, { body: 'Why?' }).expect(201)).body as Row & {
    notes: Row[];
  };
  const versions = (await as.get(`${ofRequest}/versions`)).body as Row[];
  await post(`${at}/repository/commits/${head}/comments`, { note: 'Well done' });
  const status = await post(`${at}/statuses/${head}`, { state: 'success' });
  const deployKey = await post(`${at}/keys`, { title: 'deploy', key: newKey() });
  const key = await post('/user/keys', { title: 'laptop', key: newKey() });
  const email = await post('/user/emails', { email: 'second@example.com' });
  await post(`/projects/${String(otherProject.id)}/star`, {});
  const deliveries = (await as.get(`${at}/hooks/${String(hook['id'])}/deliveries`)).body as Row[];
  const systemDeliveries = (
    await trellis.as(admin).get(`/hooks/${String(systemHook['id'])}/deliveries`)
  ).body as Row[];
  const todos = (await as.get('/todos')).body as Row[];
  return {
    ...{ owner, admin, member, visitor, candidate, group, otherGroup, project, otherProject, head },
    ids: {
      milestone: Number(milestone['id']),
      groupMilestone: Number(groupMilestone['id']),
      issue: Number(issue['id']),
      issueIid: Number(issue['iid']),
      issueLink: Number(issueLink['id']),
      issueNote: Number(issueNote['id']),
      issueAward: Number(issueAward['id']),
      issueNoteAward: Number(issueNoteAward['id']),
      request: Number(request['id']),
      requestIid: Number(request['iid']),
      requestNote: Number(requestNote['id']),
      requestAward: Number(requestAward['id']),
      commitThread: String(commitThread['id']),
      commitNote: Number(commitThread.notes[0]?.['id']),
      issueThread: String(issueThread['id']),
      issueThreadNote: Number(issueThread.notes[0]?.['id']),
      requestThread: String(requestThread['id']),
      requestThreadNote: Number(requestThread.notes[0]?.['id']),
      requestNoteAward: Number(requestNoteAward['id']),
      draftNote: Number(draftNote['id']),
      releaseLink: Number(releaseLink['id']),
      version: Number(versions[0]?.['id']),
      hook: Number(hook['id']),
      systemHook: Number(systemHook['id']),
      delivery: String(deliveries[0]?.['id']),
      systemDelivery: String(systemDeliveries[0]?.['id']),
      deployKey: Number(deployKey['id']),
      key: Number(key['id']),
      email: Number(email['id']),
      secondIssue: Number(second['id']),
      secondRequest: Number(secondRequest['id']),
      topic: String(topic['id']),
      blob: String(blob[0]?.['id']),
      todo: Number(todos[0]?.['id']),
      status: Number(status['id']),
    },
  };
}

const ALL = {
  push_events: true,
  tag_push_events: true,
  issues_events: true,
  note_events: true,
  merge_requests_events: true,
  build_events: true,
  pipeline_events: true,
};
