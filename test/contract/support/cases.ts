import { unique } from '../../support/factories.js';
import type { Values } from './call.js';
import type { Caller } from './expectation.js';
import type { Stage } from './stage.js';

/** What the calls of one operation need beyond what its document says. */
export interface Case {
  /** Parameters that make the call a sensible one, by name. */
  readonly parameters?: (stage: Stage, caller: Caller) => Values | Promise<Values>;
  /**
   * Refusals by rules that are no matter of levels, for callers whom the table lets through, with
   * the status each gets.
   */
  readonly refused?: Readonly<Partial<Record<Caller, number>>>;
}

/** At least one parameter must be given, which the document cannot say. */
const SOMETHING_TO_CHANGE: Case = { parameters: () => ({ description: 'Another text' }) };

/** Exactly one of two parameters names the label, which the document cannot say. */
const A_NAME: Case = { parameters: () => ({ name: 'x' }) };
const A_NAMED_CHANGE: Case = { parameters: () => ({ name: 'x', description: 'Another text' }) };

/** The sample of a text is no duration. */
const AN_HOUR: Case = { parameters: () => ({ duration: '1h' }) };

/** The first branch of a repository becomes a protected one. */
const PROTECTED: Case['refused'] = { developer: 403 };

/** Members of a project alone have no right on its group. */
const OF_GROUP: Case = {
  refused: { reporter: 403, developer: 403, master: 403, 'external-member': 403 },
};

/** An absent release is refused like a protected one. */
const NO_RELEASE: Case['refused'] = {
  ...{ developer: 403, master: 403, owner: 403, admin: 403, 'external-member': 403 },
};

/** Everybody may leave, and only that: who is no member finds nothing to leave. */
const oneself = (stage: Stage, caller: Caller): Values => {
  const person = stage.people[caller];
  return person === null ? {} : { user_id: person.user.id };
};

/** By handler. An operation that is not here needs nothing. */
export const CASES: Readonly<Record<string, Case>> = {
  'Session.create': {
    parameters: (stage) => {
      const { user, password } = stage.person('owner');
      return { login: user.username, password };
    },
  },
  'Groups.create': {
    parameters: () => ({ path: `group-${unique()}` }),
    // May not create groups.
    refused: { external: 403, 'external-member': 403 },
  },
  'GroupProjects.update': SOMETHING_TO_CHANGE,
  // The last owner of a group has to stay.
  'GroupMembers.remove': { parameters: oneself, refused: { owner: 403 } },
  // Has no room for personal projects.
  'Projects.create': { refused: { external: 403, 'external-member': 403 } },
  'Projects.update': SOMETHING_TO_CHANGE,
  'ProjectMembers.remove': { parameters: oneself },
  'Archive.readAs': { parameters: () => ({ format: 'zip' }) },
  'Commits.create': {
    parameters: () => ({ actions: [{ action: 'create', file_path: 'file', content: '' }] }),
  },
  'Forks.fork': { refused: { external: 403, 'external-member': 403 } },
  'Forks.relate': {
    parameters: async (stage) => ({ forked_from_id: (await stage.newProject('public')).id }),
  },
  'Issues.update': SOMETHING_TO_CHANGE,
  'Labels.update': SOMETHING_TO_CHANGE,
  'MergeRequestWrites.update': SOMETHING_TO_CHANGE,
  'Milestones.update': SOMETHING_TO_CHANGE,
  // Without a credential with `scope=all` only.
  'v4 IssueLists.everywhere': { refused: { anonymous: 401 } },
  'v4 IssueStatistics.everywhere': { refused: { anonymous: 401 } },
  'v4 MergeRequestLists.everywhere': { refused: { anonymous: 401 } },
  // Without a credential by `username` only.
  'v4 Users.list': { refused: { anonymous: 403 } },
  'v4 Users.read': { refused: { anonymous: 403 } },
  'v4 Archive.readAs': { parameters: () => ({ format: 'zip' }) },
  'v4 Commits.create': {
    parameters: () => ({ actions: [{ action: 'create', file_path: 'file', content: '' }] }),
    refused: PROTECTED,
  },
  'v4 Changelog.commit': {
    parameters: () => ({ version: '1.0.0', branch: 'master' }),
    refused: { ...PROTECTED, 'external-member': 403 },
  },
  'v4 Files.create': { refused: PROTECTED },
  'v4 Files.delete': { refused: PROTECTED },
  'v4 Files.update': { refused: PROTECTED },
  'v4 Submodules.move': {
    parameters: () => ({ commit_sha: 'ab'.repeat(20) }),
    refused: PROTECTED,
  },
  'v4 Users.create': {
    parameters: () => {
      const username = `user-${unique()}`;
      return { username, email: `${username}@example.com`, force_random_password: true };
    },
  },
  'v4 Users.update': { parameters: () => ({ location: 'Lisbon' }) },
  'v4 Groups.create': {
    parameters: () => ({ path: `group-${unique()}` }),
    // May not create groups.
    refused: { external: 403, 'external-member': 403 },
  },
  'v4 GroupProjects.update': SOMETHING_TO_CHANGE,
  'v4 GroupMembers.remove': { parameters: oneself, refused: { owner: 403 } },
  'v4 Projects.create': {
    parameters: () => ({ name: `project-${unique()}` }),
    // Has no room for personal projects.
    refused: { external: 403, 'external-member': 403 },
  },
  'v4 IssueDiscussions.update': { parameters: () => ({ body: 'Other' }) },
  'v4 MergeRequestDiscussions.update': { parameters: () => ({ body: 'Other' }) },
  'v4 Issues.update': SOMETHING_TO_CHANGE,
  'v4 IssueTimes.estimate': AN_HOUR,
  'v4 IssueTimes.spend': AN_HOUR,
  'v4 MergeRequestTimes.estimate': AN_HOUR,
  'v4 MergeRequestTimes.spend': AN_HOUR,
  'v4 GroupLabels.removeNamed': A_NAME,
  'v4 GroupLabels.update': SOMETHING_TO_CHANGE,
  'v4 GroupLabels.updateNamed': A_NAMED_CHANGE,
  'v4 GroupMilestones.update': SOMETHING_TO_CHANGE,
  'v4 Labels.removeNamed': A_NAME,
  'v4 Labels.update': SOMETHING_TO_CHANGE,
  'v4 Labels.updateNamed': A_NAMED_CHANGE,
  'v4 MergeRequests.update': SOMETHING_TO_CHANGE,
  'v4 Milestones.update': SOMETHING_TO_CHANGE,
  'v4 ProjectApprovals.change': { parameters: () => ({ reset_approvals_on_push: true }) },
  'v4 Projects.update': SOMETHING_TO_CHANGE,
  'v4 ProjectMembers.remove': { parameters: oneself },
  'v4 DeployKeys.update': { parameters: () => ({ can_push: true }) },
  // Without a release there is nothing that they could change.
  'v4 Labels.promote': OF_GROUP,
  'v4 Milestones.promote': OF_GROUP,
  'v4 Releases.update': { ...SOMETHING_TO_CHANGE, refused: NO_RELEASE },
  'v4 Releases.remove': { refused: NO_RELEASE },
  'v4 ReleaseLinks.update': { parameters: () => ({ name: 'Another name' }) },
  'v4 Settings.update': { parameters: () => ({ max_attachment_size: 10 }) },
  'v4 ProjectHooks.test': { parameters: () => ({ trigger: 'push_events' }) },
  'v4 Forks.fork': { refused: { external: 403, 'external-member': 403 } },
  'v4 Forks.relate': {
    parameters: async (stage) => ({ forked_from_id: (await stage.newProject('public')).id }),
  },
};
