import type { ApiFace } from '../../../../src/platform/http/index.js';
import { type Person, unique } from '../../../support/factories.js';
import { newKey } from '../../../support/public-keys.js';
import { valueOf } from '../call.js';
import {
  isAlias,
  documentedOperations,
  documentedParameters,
  handlerOf,
  type Operation,
  type Schema,
} from '../operations.js';
import type { YoungInstance } from './young-instance.js';

export interface PlannedCall {
  readonly face: ApiFace;
  readonly handler: string;
  readonly verb: Operation['verb'];
  readonly path: string;
  readonly body: object | undefined;
  readonly caller: Person | null;
}

type Given = Readonly<Record<string, unknown>>;

const pathValue = (instance: YoungInstance, { path: at }: Operation, name: string): unknown => {
  const { ids } = instance;
  const of = (kind: string) => ids[`${at.includes('merge_request') ? 'request' : 'issue'}${kind}`];
  const isOfProject = at.startsWith('/projects');
  switch (name) {
    case 'id':
      if (at.startsWith('/groups')) return instance.group.id;
      if (at.startsWith('/users')) return instance.member.user.id;
      if (at.startsWith('/keys')) return ids['key'];
      return instance.project.id;
    case 'user_id':
      return instance.member.user.id;
    case 'issue_id':
      return ids['issue'];
    case 'merge_request_id':
      return ids['request'];
    case 'note_id':
      if (at.includes('/commits/')) return ids['commitNote'];
      return at.includes('/discussions/') ? of('ThreadNote') : of('Note');
    case 'discussion_id':
      return at.includes('/commits/') ? ids['commitThread'] : of('Thread');
    case 'award_id':
      return at.includes('notes') ? of('NoteAward') : of('Award');
    case 'milestone_id':
      return ids[at.startsWith('/groups') ? 'groupMilestone' : 'milestone'];
    case 'pipeline_id':
      return ids['status'];
    case 'version_id':
      return ids['version'];
    case 'hook_id':
      return ids[isOfProject ? 'hook' : 'systemHook'];
    case 'key':
      return 'X-Key';
    case 'event_id':
    case 'delivery_id':
      return ids[isOfProject ? 'delivery' : 'systemDelivery'];
    case 'key_id':
      return ids[isOfProject ? 'deployKey' : 'key'];
    case 'topic_id':
      return 1;
    case 'email_id':
      return ids['email'];
    case 'todo_id':
      return ids['todo'];
    case 'sha':
      return instance.head;
    case 'branch':
      return 'merged';
    case 'submodule':
      return 'module';
    case 'tag_name':
      return 'v1';
    case 'link_id':
      return ids['releaseLink'];
    case 'issue_link_id':
      return ids['issueLink'];
    case 'draft_note_id':
      return ids['draftNote'];
    case 'direct_asset_path':
      return 'tool';
    case 'suffix':
      return 'assets';
    case 'label':
      return 'bug';
    case 'query':
      return 'lib';
    case 'group_id':
      return instance.otherGroup.id;
    case 'project_id':
    case 'forked_from_id':
      return instance.otherProject.id;
    case 'format':
      return 'zip';
    case 'issue_iid':
    case 'merge_request_iid':
      return 1;
    case 'name':
      return 'bug';
    case 'trigger':
      return 'push_events';
    default:
      throw new Error(name);
  }
};

type Case = (instance: YoungInstance) => Given | Given[];

/** Values of parameters that the document does not say enough about: by handler, for one call or several. */
const CASES: Readonly<Record<string, Case>> = {
  'Settings.update': () => ({ default_projects_limit: 11 }),
  'Session.create': ({ owner }) => [
    { login: owner.user.username, password: owner.password },
    { email: owner.user.email, password: owner.password },
  ],
  'Groups.create': () => ({ path: 'new-group' }),
  'GroupMembers.add': ({ candidate }) => ({ user_id: candidate.user.id, access_level: 20 }),
  'ProjectMembers.add': ({ candidate }) => ({ user_id: candidate.user.id, access_level: 20 }),
  'GroupMembers.change': () => ({ access_level: 30 }),
  'ProjectMembers.change': () => ({ access_level: 40 }),
  'GroupProjects.update': () => [{ description: 'Changed' }, { name: 'Changed', path: 'changed' }],
  'Groups.delete': ({ otherGroup }) => ({ id: otherGroup.id }),
  'SystemHooks.create': () => ({ url: 'https://receiver.example.com/' }),
  'ProjectHooks.create': () => ({ url: 'https://receiver.example.com/' }),
  'ProjectHooks.update': () => ({ url: 'https://receiver.example.com/other' }),
  'Projects.createForUser': () => ({ user_id: 1 }),
  'Projects.archive': ({ otherProject }) => ({ id: otherProject.id }),
  'Projects.unarchive': ({ otherProject }) => ({ id: otherProject.id }),
  'Projects.update': () => [
    { description: 'Changed' },
    { name: 'Changed', path: 'changed', visibility_level: 10 },
    { visibility_level: 20 },
  ],
  'Projects.delete': ({ otherProject }) => ({ id: otherProject.id }),
  'Forks.fork': ({ otherProject, otherGroup }) => ({
    id: otherProject.id,
    namespace: otherGroup.path,
  }),
  'DeployKeys.add': () => ({ key: newKey(), title: 'new' }),
  'DeployKeys.enable': ({ ids }) => ({ key_id: ids['deployKey'] }),
  'Issues.create': ({ member, ids }) => [
    {},
    { title: 'Labelled', labels: 'bug' },
    {
      description: `For @${member.user.username}, see #1, !1, grown-3 and crew/app#2`,
      labels: 'bug,new',
      assignee_id: member.user.id,
      milestone_id: ids['milestone'],
    },
  ],
  'Issues.update': ({ member, ids }) => [
    { title: 'Other' },
    { description: `For @${member.user.username}, see #2` },
    { labels: 'bug,other', assignee_id: member.user.id, milestone_id: 0 },
    { labels: 'bug,inherited', milestone_id: ids['groupMilestone'] },
    { milestone_id: ids['milestone'], confidential: true },
    { state_event: 'close' },
    { state_event: 'reopen' },
  ],
  'IssueMoves.move': ({ ids, otherProject }) => ({
    issue_id: ids['secondIssue'],
    to_project_id: otherProject.id,
  }),
  'IssueNotes.create': ({ member }) => [
    { body: 'Text' },
    { body: `For @${member.user.username}, see !1` },
  ],
  'MergeRequestNotes.create': ({ member }) => [
    { body: 'Text' },
    { body: `For @${member.user.username}, see #1` },
  ],
  'v4 IssueDiscussions.update': () => [{ body: 'Changed' }],
  'v4 MergeRequestDiscussions.update': () => [
    { body: 'Changed' },
    { resolved: true },
    { resolved: false },
  ],
  'v4 MergeRequestResolutions.resolve': () => [{ resolved: true }, { resolved: false }],
  'IssueAwards.create': () => [{ name: 'heart' }],
  'IssueNoteAwards.create': () => ({ name: 'rocket' }),
  'MergeRequestAwards.create': () => ({ name: 'heart' }),
  'MergeRequestNoteAwards.create': () => ({ name: 'rocket' }),
  'Labels.create': () => ({ name: 'made', color: '#d9534f' }),
  'Labels.update': () => ({ name: 'bug', new_name: 'fault' }),
  'Labels.remove': () => ({ name: 'fault' }),
  'MergeRequestWrites.create': ({ member, ids }) => ({
    source_branch: 'third',
    target_branch: 'master',
    labels: 'bug',
    assignee_id: member.user.id,
    milestone_id: ids['milestone'],
    description: `For @${member.user.username}, closes #1`,
  }),
  'MergeRequestWrites.update': ({ member, ids }) => [
    { title: 'Other' },
    { description: `For @${member.user.username}, see #2` },
    { target_branch: 'merged' },
    { target_branch: 'master' },
    { labels: 'bug,other', assignee_id: member.user.id, milestone_id: 0 },
    { milestone_id: ids['milestone'] },
    { state_event: 'close' },
    { state_event: 'reopen' },
  ],
  'Accept.accept': ({ ids }) => ({ merge_request_id: ids['secondRequest'] }),
  'Accept.cancel': ({ ids }) => ({ merge_request_id: ids['request'] }),
  'Accept.cancelByPost': ({ ids }) => ({ merge_request_id: ids['request'] }),
  'v4 Labels.updateNamed': () => [
    { name: 'bug', new_name: 'fault' },
    { name: 'inherited', priority: 1 },
    { name: 'inherited', color: '#000000' },
  ],
  'v4 Labels.removeNamed': () => ({ name: 'fault' }),
  'v4 Labels.promote': () => ({ name: 'grown-1' }),
  'v4 GroupLabels.read': () => ({ name: 'inherited' }),
  'v4 GroupLabels.create': () => ({ name: 'new-inherited', color: '#d9534f' }),
  'v4 GroupLabels.update': () => ({ name: 'inherited', color: '#000000' }),
  'v4 GroupLabels.updateNamed': () => ({ name: 'inherited', description: 'Changed' }),
  'v4 GroupLabels.subscribe': () => ({ name: 'inherited' }),
  'v4 GroupLabels.unsubscribe': () => ({ name: 'inherited' }),
  'v4 GroupLabels.remove': () => ({ name: 'inherited' }),
  'v4 GroupLabels.removeNamed': () => ({ name: 'grown-inherited-1' }),
  'v4 GroupMilestones.update': () => [{ title: 'Both' }, { state_event: 'close' }],
  'Milestones.update': () => [{ title: 'Two' }, { state_event: 'close' }],
  'Branches.create': () => ({ branch_name: 'made', ref: 'master' }),
  'Commits.create': () => ({
    branch_name: 'master',
    commit_message: 'Closes #1',
    actions: [{ action: 'create', file_path: 'made', content: '' }],
  }),
  'Commits.cherryPick': ({ ids }) => ({ sha: ids['topic'], branch: 'master' }),
  'Files.create': () => ({
    branch_name: 'master',
    file_path: 'new',
    content: 'x',
    commit_message: 'Created',
  }),
  'Files.update': () => ({
    branch_name: 'master',
    file_path: 'new',
    content: 'y',
    commit_message: 'Updated',
  }),
  'Files.delete': () => ({ branch_name: 'master', file_path: 'new', commit_message: 'Deleted' }),
  'Files.read': () => ({ file_path: 'README.md', ref: 'master' }),
  'Blobs.ofRevision': () => ({ filepath: 'README.md' }),
  'Blobs.ofCommit': () => ({ filepath: 'README.md' }),
  'Blobs.ofHash': ({ ids }) => ({ sha: ids['blob'] }),
  'Compare.compare': () => ({ from: 'master', to: 'topic' }),
  'Tags.create': () => ({ tag_name: 'v3', ref: 'master', release_description: 'Three' }),
  'Tags.createRelease': () => ({ tag_name: 'v2', description: 'Two' }),
  'Shares.share': ({ otherGroup }) => ({ group_id: otherGroup.id, group_access: 20 }),
  'Stars.remove': ({ otherProject }) => ({ id: otherProject.id }),
  'CommitStatuses.post': () => [{ state: 'pending' }, { state: 'success' }],
  'v4 Branches.create': () => ({ branch: 'made-in-4', ref: 'master' }),
  'v4 Commits.create': () => ({
    branch: 'master',
    commit_message: 'Closes #1',
    actions: [{ action: 'create', file_path: 'made-in-4', content: '' }],
  }),
  'v4 Commits.cherryPick': ({ ids }) => ({ sha: ids['topic'], branch: 'master', dry_run: true }),
  'v4 Commits.revert': ({ head }) => ({ sha: head, branch: 'master', dry_run: true }),
  'v4 Files.create': () => ({
    ...{ branch: 'master', file_path: 'new-in-4' },
    ...{ content: 'x', commit_message: 'Created' },
  }),
  'v4 Files.update': () => ({
    ...{ branch: 'master', file_path: 'new-in-4' },
    ...{ content: 'y', commit_message: 'Updated' },
  }),
  'v4 Files.delete': () => ({
    ...{ branch: 'master', file_path: 'new-in-4', commit_message: 'Deleted' },
  }),
  'v4 Changelog.read': () => ({ version: '1.0.0', from: 'master' }),
  'v4 Changelog.commit': () => ({ version: '1.0.0', from: 'master' }),
  'v4 Files.blame': () => ({ file_path: 'README.md', ref: 'master' }),
  'v4 Files.read': () => ({ file_path: 'README.md', ref: 'master' }),
  'v4 Files.download': () => ({ file_path: 'README.md' }),
  'v4 Blobs.read': ({ ids }) => ({ sha: ids['blob'] }),
  'v4 Blobs.download': ({ ids }) => ({ sha: ids['blob'] }),
  'v4 Compare.compare': () => ({ from: 'master', to: 'topic' }),
  'v4 Compare.readMergeBase': () => ({ refs: 'master,topic' }),
  'v4 Tags.create': () => ({ tag_name: 'v4', ref: 'master', release_description: 'Four' }),
  'v4 Releases.create': ({ ids }) => {
    const links = [{ name: 'Other', url: 'https://files.example.com/other' }];
    return [
      { tag_name: 'v5', ref: 'master', milestones: ['One'], assets: { links } },
      { tag_name: 'v2', milestone_ids: [ids['milestone']] },
    ];
  },
  'v4 Releases.update': ({ ids }) => [
    { name: 'Changed', milestones: ['One'] },
    { milestone_ids: [ids['milestone']] },
  ],
  'v4 ReleaseLinks.create': () => ({ name: 'New', url: 'https://files.example.com/new' }),
  'v4 ReleaseLinks.update': () => ({ name: 'Changed' }),
  'v4 CommitStatuses.post': () => [
    { state: 'pending', name: 'four' },
    { state: 'success', name: 'four' },
  ],
  'v4 Keys.find': () => [
    { fingerprint: `SHA256:${'a'.repeat(43)}` },
    { fingerprint: Array.from({ length: 16 }, () => 'ab').join(':') },
  ],
  'v4 Transfers.transfer': ({ otherProject, otherGroup }) => ({
    ...{ id: otherProject.id, namespace: otherGroup.id },
  }),
  'v4 IssueLinks.create': ({ project }) => ({
    target_project_id: String(project.id),
    target_issue_iid: 105,
  }),
  'v4 IssueTimes.estimate': () => ({ duration: '1h' }),
  'v4 IssueTimes.spend': () => ({ duration: '1h' }),
  'v4 MergeRequestTimes.estimate': () => ({ duration: '1h' }),
  'v4 MergeRequestTimes.spend': () => ({ duration: '1h' }),
  'v4 ProjectApprovals.change': () => ({
    approvals_before_merge: 0,
    reset_approvals_on_push: true,
  }),
  'v4 Markdown.render': ({ project, owner, head }) => ({
    text: `#1 !1 ~bug %One @${owner.user.username} ${head}`,
    gfm: true,
    project: project.id,
  }),
  'v4 Projects.create': () => ({ name: 'with-topics', topics: ['grown-7', 'new'] }),
  'v4 Projects.update': () => [{ description: 'Changed in 4' }, { topics: 'grown-8,other' }],
  'v4 DeployKeys.update': ({ ids }) => ({
    key_id: ids['deployKey'],
    can_push: true,
    title: 'Changed',
  }),
  'v4 Settings.update': () => ({ max_attachment_size: 11 }),
  'Emails.addOwn': () => ({ email: `${unique()}@example.com` }),
  'Emails.add': () => ({ email: `${unique()}@example.com` }),
  'Emails.remove': ({ owner }) => ({ id: owner.user.id }),
  'SshKeys.addOwn': () => ({ key: newKey(), title: 'new' }),
  'SshKeys.add': () => ({ key: newKey(), title: 'new' }),
  'SshKeys.remove': ({ owner }) => ({ id: owner.user.id }),
  'Users.create': () => ({
    email: `${unique()}@example.com`,
    password: 'a password of it',
    username: 'made',
    name: 'Made',
  }),
  'Users.update': () => [
    { name: 'Changed' },
    { username: 'renamed', email: 'renamed@example.com' },
  ],
  'IssueLists.ofGroup': () => ({}),
};

/** Values for filters of lists, by name. */
const FILTERS: Readonly<Record<string, readonly unknown[]>> = {
  milestone: ['One', 'All', 'No Milestone', 'none'],
  labels: ['bug', 'bug,grown-1', 'inherited', 'bug,inherited'],
  search: ['grown-77', 'app'],
  query: ['grown-77'],
  username: ['owner'],
  page: [2, 8],
  per_page: [100],
  iid: [1],
  name: ['default'],
  ref: ['master'],
  sha: ['master'],
  ref_name: ['master'],
  path: ['README.md'],
  stage: ['test'],
  scope: ['finished', 'running'],
  author_id: [1],
  project_id: [1],
  group_id: [1],
  target_id: [1],
  action: ['member.added'],
  ip: ['127.0.0.1'],
  event: ['issue'],
  status: ['delivered'],
  type: ['Issue'],
  topic: ['grown-77'],
  skip_groups: [1],
  updated_before: ['2100-01-01'],
  updated_after: ['2000-01-01'],
  state: ['opened', 'closed', 'merged', 'all', 'active', 'pending', 'done'],
  archived: [true, false],
};

const ADMIN =
  /^(Settings|AuditEvents|AllDeployKeys|SystemHooks|SystemDeliveries|Users\.(create|delete|update|block|unblock)|Emails\.(list|add|remove)$|SshKeys\.(readAny|add|remove|list)$|Projects\.createForUser|GroupProjects\.receive|Forks\.(relate|unrelate)|ProjectLists\.all|RunnersAll)/;

export function plannedCalls(instance: YoungInstance): PlannedCall[] {
  const { owner, member, visitor, admin } = instance;
  const parameters = documentedParameters();
  // An archive is no JSON, and what finds it stands in other requests, too.
  const operations = documentedOperations().filter(
    (one) => !isAlias(one) && !/^(?:v4 )?Archive\.read$/.test(handlerOf(one)),
  );
  const calls = operations.flatMap((operation) => {
    const handler = handlerOf(operation);
    const { verb } = operation;
    const sets = [(CASES[handler] ?? CASES[unversioned(handler)])?.(instance) ?? {}].flat();
    const by = ADMIN.test(unversioned(handler)) ? admin : owner;
    const made = sets.map((given) => callOf(instance, operation, given, by));
    if (verb !== 'get') return made;
    const schemas = parameters.get(handler) ?? {};
    const filters = Object.entries(schemas).flatMap(([name, schema]) =>
      filterValues(name, schema).map((value) => ({ [name]: value })),
    );
    const [first = {}] = sets;
    const others = by === admin ? [] : [member, visitor, admin];
    const plain = [by, ...others].map((caller) => callOf(instance, operation, first, caller));
    const filtered = filters.map((filter) =>
      callOf(instance, operation, { ...first, ...filter }, by),
    );
    return [...plain, ...filtered, callOf(instance, operation, first, null)];
  });
  return calls.toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** Version 4 takes the values of the handler that has the same name in version 3, if it has none of its own. */
export const unversioned = (handler: string): string => handler.replace(/^v4 /, '');

function filterValues(name: string, schema: Schema): readonly unknown[] {
  if (schema.enum !== undefined) return schema.enum;
  return FILTERS[name] ?? [valueOf(name, schema)];
}

function callOf(
  instance: YoungInstance,
  operation: Operation,
  given: Given,
  caller: Person | null,
): PlannedCall {
  const { face, verb, query, body } = operation;
  const handler = handlerOf(operation);
  const named = new Set<string>();
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    named.add(name);
    return encodeURIComponent(String(given[name] ?? pathValue(instance, operation, name)));
  });
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !named.has(name)));
  const required =
    verb === 'get'
      ? query
      : Object.fromEntries(
          (body.required ?? []).map((name) => [name, body.properties?.[name] ?? {}]),
        );
  const values = {
    ...Object.fromEntries(
      Object.entries(required).map(([name, schema]) => [name, valueOf(name, schema)]),
    ),
    ...rest,
  };
  if (verb !== 'get') return { face, handler, verb, path, body: values, caller };
  const search = new URLSearchParams(
    Object.entries(values).map(([name, value]) => [name, String(value)]),
  ).toString();
  return {
    face,
    handler,
    verb,
    path: search === '' ? path : `${path}?${search}`,
    body: undefined,
    caller,
  };
}

const LATE = [
  'Accept.accept',
  'Accept.cancel',
  'Accept.cancelByPost',
  'GroupProjects.update',
  'Projects.update',
  'GroupProjects.receive',
  'Branches.deleteMerged',
];

/** A lower rank is sent first. */
function rankOf({ verb, path, handler }: PlannedCall): number {
  const name = unversioned(handler);
  if (LATE.includes(name)) return 250 + LATE.indexOf(name);
  if (name === 'Projects.delete') return 390;
  if (name === 'Users.delete') return 391;
  if (name === 'Groups.delete') return 392;
  const depth = path.split('/').length;
  return ['get', 'post', 'put', 'delete'].indexOf(verb) * 100 - (verb === 'delete' ? depth : 0);
}
