import { readFileSync } from 'node:fs';
import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import { AUDIT_ACTIONS, auditedActions } from '../../src/modules/audit/index.js';
import { Trellis } from '../support/trellis.js';
import { handlerNamed } from './support/operations.js';

const FEEDS = 'activity, which the feeds show';
const CONTENT = 'content of a project, which changes no rights';
const PERSONAL = 'what only the caller sees';
const NOTHING = 'nothing is written';

/** The same of issues and of merge requests. */
const both = (controller: string, methods: readonly string[], reason: string) =>
  Object.fromEntries(
    ['Issue', 'MergeRequest', 'v4 Issue', 'v4 MergeRequest'].flatMap((kind) =>
      methods.map((method) => [`${kind}${controller}.${method}`, reason]),
    ),
  );

/** Why writing routes record nothing in the audit log, by handler. */
const UNAUDITED: Readonly<Record<string, string>> = {
  'GitHttp.fetch': 'reads',
  'GitHttp.push': FEEDS,
  'Branches.create': FEEDS,
  'Branches.delete': FEEDS,
  'Branches.deleteMerged': FEEDS,
  'Tags.create': FEEDS,
  'Tags.delete': FEEDS,
  'Commits.create': FEEDS,
  'Commits.cherryPick': FEEDS,
  'Files.create': FEEDS,
  'Files.update': FEEDS,
  'Files.delete': FEEDS,
  'Accept.accept': FEEDS,
  'Accept.cancel': FEEDS,
  'Accept.cancelByPost': FEEDS,
  'Projects.create': FEEDS,
  'Projects.createForUser': FEEDS,
  'Forks.fork': FEEDS,
  'Tags.createRelease': CONTENT,
  'Tags.updateRelease': CONTENT,
  'Forks.relate': CONTENT,
  'Forks.unrelate': CONTENT,
  'Uploads.create': CONTENT,
  'CommitComments.create': CONTENT,
  'CommitStatuses.post': CONTENT,
  'Issues.create': CONTENT,
  'Issues.update': CONTENT,
  'Issues.remove': CONTENT,
  'IssueMoves.move': CONTENT,
  'MergeRequestWrites.create': CONTENT,
  'MergeRequestWrites.update': CONTENT,
  'MergeRequestWrites.remove': CONTENT,
  'OldComments.create': CONTENT,
  'Labels.create': CONTENT,
  'Labels.update': CONTENT,
  'Labels.remove': CONTENT,
  'Milestones.create': CONTENT,
  'Milestones.update': CONTENT,
  'Milestones.remove': CONTENT,
  ...both('Notes', ['create', 'update', 'remove'], CONTENT),
  ...both('NoteAwards', ['create', 'remove'], CONTENT),
  ...both('Awards', ['create', 'remove'], CONTENT),
  ...both('Attention', ['subscribe', 'unsubscribe', 'mark'], PERSONAL),
  'LabelSubscriptions.add': PERSONAL,
  'LabelSubscriptions.remove': PERSONAL,
  'Stars.add': PERSONAL,
  'Stars.remove': PERSONAL,
  'SignIn.signOut': PERSONAL,
  'Todos.finish': PERSONAL,
  'Todos.finishAll': PERSONAL,
  ...Object.fromEntries(
    ['estimate', 'resetEstimate', 'spend', 'resetSpent'].flatMap((method) =>
      ['v4 IssueTimes', 'v4 MergeRequestTimes'].map((times) => [`${times}.${method}`, CONTENT]),
    ),
  ),
  ...Object.fromEntries(
    ['reply', 'update', 'remove'].flatMap((method) => [
      [`v4 IssueDiscussions.${method}`, CONTENT],
      [`v4 MergeRequestDiscussions.${method}`, CONTENT],
    ]),
  ),
  'v4 CommitDiscussions.create': CONTENT,
  'v4 CommitDiscussions.reply': CONTENT,
  'v4 CommitDiscussions.update': CONTENT,
  'v4 CommitDiscussions.remove': CONTENT,
  'v4 IssueNewDiscussions.create': CONTENT,
  'v4 Markdown.render': NOTHING,
  'v4 MergeRequestResolutions.create': CONTENT,
  'v4 MergeRequestResolutions.resolve': CONTENT,
  'v4 IssueLinks.create': CONTENT,
  'v4 IssueLinks.remove': CONTENT,
  'v4 DraftNotes.create': CONTENT,
  'v4 DraftNotes.update': CONTENT,
  'v4 DraftNotes.remove': CONTENT,
  'v4 DraftNotes.publish': CONTENT,
  'v4 DraftNotes.publishAll': CONTENT,
  'v4 Issues.create': CONTENT,
  'v4 Issues.move': CONTENT,
  'v4 Issues.remove': CONTENT,
  'v4 Issues.update': CONTENT,
  'v4 GroupLabels.create': CONTENT,
  'v4 GroupLabels.remove': CONTENT,
  'v4 GroupLabels.removeNamed': CONTENT,
  'v4 GroupLabels.subscribe': PERSONAL,
  'v4 GroupLabels.unsubscribe': PERSONAL,
  'v4 GroupLabels.update': CONTENT,
  'v4 GroupLabels.updateNamed': CONTENT,
  'v4 GroupMilestones.create': CONTENT,
  'v4 GroupMilestones.remove': CONTENT,
  'v4 GroupMilestones.update': CONTENT,
  'v4 Labels.create': CONTENT,
  'v4 Labels.promote': CONTENT,
  'v4 Labels.remove': CONTENT,
  'v4 Labels.removeNamed': CONTENT,
  'v4 Labels.subscribe': PERSONAL,
  'v4 Labels.unsubscribe': PERSONAL,
  'v4 Labels.update': CONTENT,
  'v4 Labels.updateNamed': CONTENT,
  'v4 MergeRequests.create': CONTENT,
  'v4 MergeRequests.remove': CONTENT,
  'v4 MergeRequests.update': CONTENT,
  'v4 Approvals.approve': FEEDS,
  'v4 Approvals.withdraw': CONTENT,
  'v4 ProjectApprovals.change': CONTENT,
  'v4 Merges.accept': FEEDS,
  'v4 Merges.cancel': FEEDS,
  'v4 Merges.rebase': FEEDS,
  'v4 Milestones.create': CONTENT,
  'v4 Milestones.promote': CONTENT,
  'v4 Milestones.remove': CONTENT,
  'v4 Milestones.update': CONTENT,
  'v4 Uploads.create': CONTENT,
  'v4 Todos.finish': PERSONAL,
  'v4 Todos.finishAll': PERSONAL,
  'v4 Branches.create': FEEDS,
  'v4 Branches.delete': FEEDS,
  'v4 Branches.deleteMerged': FEEDS,
  'v4 CommitComments.create': CONTENT,
  'v4 CommitStatuses.post': CONTENT,
  'v4 Changelog.commit': FEEDS,
  'v4 Commits.cherryPick': FEEDS,
  'v4 Commits.create': FEEDS,
  'v4 Commits.revert': FEEDS,
  'v4 Files.create': FEEDS,
  'v4 Files.delete': FEEDS,
  'v4 Files.update': FEEDS,
  'v4 Submodules.move': FEEDS,
  'v4 Tags.create': FEEDS,
  'v4 Tags.delete': FEEDS,
  'v4 Releases.create': FEEDS,
  'v4 Releases.update': CONTENT,
  'v4 Releases.remove': CONTENT,
  'v4 ReleaseLinks.create': CONTENT,
  'v4 ReleaseLinks.update': CONTENT,
  'v4 ReleaseLinks.remove': CONTENT,
  'v4 Forks.fork': FEEDS,
  'v4 Forks.relate': CONTENT,
  'v4 Forks.unrelate': CONTENT,
  'v4 Projects.create': FEEDS,
  'v4 Projects.star': PERSONAL,
  'v4 Projects.unstar': PERSONAL,
};

/** What no writing route records. */
const ELSEWHERE = new Set([
  // Before a route is carried out, or by one that reads.
  ...['session.failed', 'sudo.used', 'user.token_read'],
  // By jobs.
  ...['member.expired', 'share.expired'],
  // By the command line.
  ...['user.token_reset', 'backup.created', 'backup.restored', 'secret_key.rotated'],
]);

const READING: readonly RequestMethod[] = [RequestMethod.GET, RequestMethod.HEAD];

interface WritingRoute {
  /** As the interface document names it. */
  readonly handler: string;
  readonly actions: readonly string[] | undefined;
}

function handlersOf(controller: Type): WritingRoute[] {
  const prototype = controller.prototype as Record<string, object>;
  return Object.getOwnPropertyNames(prototype)
    .filter((name) => name !== 'constructor')
    .map((name) => ({ name, method: prototype[name] ?? {} }))
    .filter(({ method }) => Reflect.hasMetadata(PATH_METADATA, method))
    .filter(
      ({ method }) =>
        !READING.includes(Reflect.getMetadata(METHOD_METADATA, method) as RequestMethod),
    )
    .map(({ name, method }) => ({
      handler: handlerNamed(controller, name),
      actions: auditedActions(method),
    }));
}

describe('the audit log', () => {
  let routes: WritingRoute[];

  beforeAll(async () => {
    const trellis = await Trellis.shared();
    const modules = [...trellis.app.get(ModulesContainer).values()];
    routes = modules.flatMap(({ controllers }) =>
      [...controllers.values()].flatMap(({ metatype }) => handlersOf(metatype as Type)),
    );
  });

  it('has entries from each writing route, or a documented exception', () => {
    expect(routes.length).toBeGreaterThan(80);
    const unknown = routes.filter(
      ({ handler, actions }) => (actions === undefined) !== handler in UNAUDITED,
    );
    expect(unknown).toEqual([]);
  });

  it('has exceptions only for existing routes', () => {
    const handlers = new Set(routes.map(({ handler }) => handler));
    expect(Object.keys(UNAUDITED).filter((handler) => !handlers.has(handler))).toEqual([]);
  });

  it('has no unused action', () => {
    const recorded = new Set([...ELSEWHERE, ...routes.flatMap(({ actions = [] }) => actions)]);
    expect([...recorded].sort()).toEqual([...AUDIT_ACTIONS].sort());
  });

  it('documents each action', () => {
    const [, section = ''] = readFileSync('docs/reference/audit-events.md', 'utf8').split(
      /^## Actions$/m,
    );
    const rows = section.split('\n').filter((line) => line.startsWith('| `'));
    const named = rows.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    );
    expect(named.sort()).toEqual([...AUDIT_ACTIONS].sort());
  });
});
