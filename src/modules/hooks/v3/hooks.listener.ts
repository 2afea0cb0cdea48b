import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX, type RefUpdate, TAG_PREFIX } from '../../../git/index.js';
import { OnDomainEvent } from '../../../platform/events/index.js';
import { type EventProject, MemberAdded, MembersRemoved } from '../../authorization/index.js';
import { GroupCreated, GroupRemoved } from '../../groups/index.js';
import { NoteWritten } from '../../issuables/index.js';
import { IssueChanged } from '../../issues/index.js';
import { isApprovalAction, MergeRequestChanged } from '../../merge-requests/index.js';
import { ProjectCreated, ProjectMoved, ProjectsRemoved } from '../../projects/index.js';
import {
  CommitCommented,
  CommitStatusChanged,
  PushPhase,
  PushRecorded,
} from '../../repository/index.js';
import { SshKeysChanged, UserCreated, UserDeleted } from '../../users/index.js';
import { HookNotifier } from '../deliveries/hook-notifier.js';
import { BuildPayloadBuilder } from './payloads/build-payload-builder.js';
import { IssuePayloadBuilder } from './payloads/issue-payload-builder.js';
import { MergeRequestPayloadBuilder } from './payloads/merge-request-payload-builder.js';
import { NotePayloadBuilder } from './payloads/note-payload-builder.js';
import { PushPayloadBuilder, withoutCommits } from './payloads/push-payload-builder.js';
import { SystemPayloadBuilder } from './payloads/system-payload-builder.js';

/** Deliveries that one push queues: each ref is delivered to each hook. */
const DELIVERIES_PER_PUSH = 10_000;

/** Refs that fire hooks: branches and tags. See docs/reference/hooks.md#what-does-not-fire. */
const PREFIXES = { push: BRANCH_PREFIX, tag_push: TAG_PREFIX } as const;

const SYSTEM = { kind: 'system', owner: null } as const;

/** Notifies hooks of pushes, issues, merge requests, notes and commit statuses, and system hooks of the rest. */
@Injectable()
export class HooksListener {
  constructor(
    private readonly hooks: HookNotifier,
    private readonly pushes: PushPayloadBuilder,
    private readonly issues: IssuePayloadBuilder,
    private readonly mergeRequests: MergeRequestPayloadBuilder,
    private readonly notes: NotePayloadBuilder,
    private readonly builds: BuildPayloadBuilder,
    private readonly system: SystemPayloadBuilder,
  ) {}

  /**
   * Notifies hooks of projects and system hooks of each pushed branch and tag, until there are very many deliveries
   * (docs/reference/hooks.md#what-does-not-fire).
   */
  @OnDomainEvent(PushRecorded, { order: PushPhase.NOTIFY_HOOKS })
  async pushRecorded(push: PushRecorded): Promise<void> {
    let deliveries = 0;
    for (const batch of push.refs.batches) {
      if (deliveries >= DELIVERIES_PER_PUSH) return;
      deliveries += await this.notifyOfRefs(push, batch, 'push');
      deliveries += await this.notifyOfRefs(push, batch, 'tag_push');
    }
  }

  @OnDomainEvent(IssueChanged)
  async issueChanged(event: IssueChanged): Promise<void> {
    if (lacksHooks(event)) return;
    const trigger = { kind: 'issue', owner: event.projectId } as const;
    await this.hooks.notifyOne(trigger, () => this.issues.buildIssue(event));
  }

  /** Version 3 knows no approvals (docs/reference/hooks.md#what-does-not-fire). */
  @OnDomainEvent(MergeRequestChanged)
  async mergeRequestChanged(event: MergeRequestChanged): Promise<void> {
    if (isApprovalAction(event.action)) return;
    const { projectId: owner } = event;
    const trigger = { kind: 'merge_request', owner, lacksCommit: true } as const;
    await this.hooks.notifyOne(trigger, () => this.mergeRequests.buildMergeRequest(event));
  }

  @OnDomainEvent(NoteWritten)
  async noteWritten(event: NoteWritten): Promise<void> {
    if (lacksHooks(event)) return;
    const lacksCommit = event.noteable.type === 'MergeRequest';
    const trigger = { kind: 'note', owner: event.projectId, lacksCommit } as const;
    await this.hooks.notifyOne(trigger, () => this.notes.buildNote(event));
  }

  @OnDomainEvent(CommitCommented)
  commitCommented({ projectId: owner, commentId, commented }: CommitCommented): Promise<void> {
    const trigger = { kind: 'note', owner } as const;
    return this.hooks.notifyOne(trigger, () => this.notes.buildCommitComment(commentId, commented));
  }

  /** Fires `build` for every change, and `pipeline` only when the combined status changes. */
  @OnDomainEvent(CommitStatusChanged)
  async commitStatusChanged(event: CommitStatusChanged): Promise<void> {
    if (lacksHooks(event)) return;
    const { projectId: owner, change, combined } = event;
    await this.hooks.notifyOne({ kind: 'build', owner, lacksCommit: true }, () =>
      this.builds.buildCommitStatus(change.statusId, combined.to),
    );
    if (combined.from === combined.to) return;
    await this.hooks.notifyOne({ kind: 'pipeline', owner, lacksCommit: true }, () =>
      this.builds.buildPipeline(event),
    );
  }

  @OnDomainEvent(UserCreated)
  userCreated({ user }: UserCreated): Promise<void> {
    return this.hooks.notifyOne(SYSTEM, () => this.system.buildUser('user_create', user.id));
  }

  @OnDomainEvent(UserDeleted)
  userDeleted({ userId }: UserDeleted): Promise<void> {
    return this.hooks.notifyOne(SYSTEM, () => this.system.buildUser('user_destroy', userId));
  }

  @OnDomainEvent(SshKeysChanged)
  async sshKeysChanged(event: SshKeysChanged): Promise<void> {
    await this.hooks.notify(SYSTEM, () => this.system.buildKeys(event));
  }

  @OnDomainEvent(ProjectCreated)
  async projectCreated({ projectId }: ProjectCreated): Promise<void> {
    await this.hooks.notify(SYSTEM, async () => [
      ...(await this.system.buildProjects('project_create', [projectId])),
      ...(await this.system.buildAddedMembers('project', projectId, null)),
    ]);
  }

  @OnDomainEvent(ProjectsRemoved)
  async projectsRemoved({ projectIds }: ProjectsRemoved): Promise<void> {
    await this.hooks.notify(SYSTEM, () => this.system.buildProjects('project_destroy', projectIds));
  }

  @OnDomainEvent(ProjectMoved)
  projectMoved(event: ProjectMoved): Promise<void> {
    return this.hooks.notifyOne(SYSTEM, () => this.system.buildMovedProject(event));
  }

  @OnDomainEvent(GroupCreated)
  async groupCreated({ group }: GroupCreated): Promise<void> {
    await this.hooks.notify(SYSTEM, async () => [
      this.system.buildGroup('group_create', group),
      ...(await this.system.buildAddedMembers('group', group.id, null)),
    ]);
  }

  @OnDomainEvent(GroupRemoved)
  async groupRemoved({ group }: GroupRemoved): Promise<void> {
    await this.hooks.notify(SYSTEM, () =>
      Promise.resolve([this.system.buildGroup('group_destroy', group)]),
    );
  }

  @OnDomainEvent(MemberAdded)
  async memberAdded({ source, sourceId, userId }: MemberAdded): Promise<void> {
    await this.hooks.notify(SYSTEM, () => this.system.buildAddedMembers(source, sourceId, userId));
  }

  @OnDomainEvent(MembersRemoved)
  async membersRemoved({ source, memberships }: MembersRemoved): Promise<void> {
    await this.hooks.notify(SYSTEM, () => this.system.buildRemovedMembers(source, memberships));
  }

  private async notifyOfRefs(
    push: PushRecorded,
    batch: readonly RefUpdate[],
    kind: keyof typeof PREFIXES,
  ): Promise<number> {
    const fires = ({ ref }: Pick<RefUpdate, 'ref'>): boolean => ref.startsWith(PREFIXES[kind]);
    if (!batch.some(fires)) return 0;
    // Built once for both kinds of hook, and only when one subscribes.
    let payloads: Promise<object[]> | undefined;
    const build = (): Promise<object[]> =>
      (payloads ??= push.refs
        .describe(batch)
        .then((refs) => this.pushes.buildPushes(push, refs.filter(fires))));
    const ofProject = await this.hooks.notify({ kind, owner: push.projectId }, build);
    const withoutTexts = async (): Promise<object[]> => (await build()).map(withoutCommits);
    return ofProject + (await this.hooks.notify({ kind, owner: null }, withoutTexts));
  }
}

/** Whether the request that caused an event has seen that its project has no hooks. Most have none, and save the query. */
const lacksHooks = ({ project }: { project: EventProject }): boolean => project.hasHooks === false;
