import { Injectable } from '@nestjs/common';
import { BRANCH_PREFIX, type RefUpdate, TAG_PREFIX } from '../../git/index.js';
import { OnDomainEvent } from '../../platform/events/index.js';
import { type EventProject, MemberAdded, MembersRemoved } from '../authorization/index.js';
import { GroupCreated, GroupRemoved } from '../groups/index.js';
import { EmojiAwarded, NoteWritten } from '../issuables/index.js';
import { IssueChanged } from '../issues/index.js';
import { MergeRequestChanged } from '../merge-requests/index.js';
import { ProjectCreated, ProjectMoved, ProjectsRemoved } from '../projects/index.js';
import {
  CommitCommented,
  CommitStatusChanged,
  PushPhase,
  PushRecorded,
  ReleaseChanged,
} from '../repository/index.js';
import { SshKeysChanged, UserCreated, UserDeleted } from '../users/index.js';
import { HookNotifier } from './deliveries/hook-notifier.js';
import { FilterBudget } from './model/branch-filter.js';
import type { HookVersion } from './model/hook.entity.js';
import { type HookPayloads, PayloadVersions } from './payloads/hook-payloads.js';
import { InstancePayloadBuilder } from './payloads/instance-payload-builder.js';

/** Deliveries that one push queues: each ref is delivered to each hook. */
const DELIVERIES_PER_PUSH = 10_000;
/** Refs that the update of a repository lists. */
const REFS_PER_UPDATE = 1_000;

/** Refs that fire hooks: branches and tags. See docs/reference/hooks.md#what-does-not-fire. */
const PREFIXES = { push: BRANCH_PREFIX, tag_push: TAG_PREFIX } as const;

const SYSTEM = { kind: 'system', owner: null } as const;

/**
 * Notifies hooks of pushes, issues, merge requests, notes, commit statuses, releases and emoji, and system hooks of the rest. The
 * payloads are those of the version of each hook.
 */
@Injectable()
export class HooksListener {
  constructor(
    private readonly hooks: HookNotifier,
    private readonly versions: PayloadVersions,
    private readonly instance: InstancePayloadBuilder,
  ) {}

  /**
   * Notifies hooks of projects and system hooks of each pushed branch and tag, until there are very many deliveries
   * (docs/reference/hooks.md#what-does-not-fire).
   */
  @OnDomainEvent(PushRecorded, { order: PushPhase.NOTIFY_HOOKS })
  async pushRecorded(push: PushRecorded): Promise<void> {
    let deliveries = 0;
    const budget = new FilterBudget();
    for (const batch of push.refs.batches) {
      if (deliveries >= DELIVERIES_PER_PUSH) break;
      deliveries += await this.notifyOfRefs(push, batch, 'push', budget);
      deliveries += await this.notifyOfRefs(push, batch, 'tag_push', budget);
    }
    await this.notifyOfUpdate(push);
  }

  @OnDomainEvent(IssueChanged)
  async issueChanged(event: IssueChanged): Promise<void> {
    if (lacksHooks(event)) return;
    const kind = event.issue.confidential ? 'confidential_issue' : 'issue';
    await this.notifyOne({ kind, owner: event.projectId }, (payloads) =>
      payloads.buildIssue(event),
    );
  }

  @OnDomainEvent(MergeRequestChanged)
  mergeRequestChanged(event: MergeRequestChanged): Promise<void> {
    const trigger = { kind: 'merge_request', owner: event.projectId, lacksCommit: true } as const;
    return this.hooks.notifyOneWithInstance(trigger, (version) =>
      this.versions.of(version).buildMergeRequest(event),
    );
  }

  @OnDomainEvent(NoteWritten)
  async noteWritten(event: NoteWritten): Promise<void> {
    if (lacksHooks(event)) return;
    const { noteable, projectId: owner } = event;
    const kind = noteable.confidential ? 'confidential_note' : 'note';
    const lacksCommit = noteable.type === 'MergeRequest';
    await this.notifyOne({ kind, owner, lacksCommit }, (payloads) => payloads.buildNote(event));
  }

  @OnDomainEvent(CommitCommented)
  commitCommented({ projectId: owner, commentId, commented }: CommitCommented): Promise<void> {
    return this.notifyOne({ kind: 'note', owner }, (payloads) =>
      payloads.buildCommitComment(commentId, commented),
    );
  }

  /** Fires `build` for every change, and `pipeline` only when the combined status changes. */
  @OnDomainEvent(CommitStatusChanged)
  async commitStatusChanged(event: CommitStatusChanged): Promise<void> {
    if (lacksHooks(event)) return;
    const { projectId: owner, change, combined } = event;
    await this.notifyOne({ kind: 'build', owner, lacksCommit: true }, (payloads) =>
      payloads.buildCommitStatus(change.statusId, combined.to),
    );
    if (combined.from === combined.to) return;
    await this.notifyOne({ kind: 'pipeline', owner, lacksCommit: true }, (payloads) =>
      payloads.buildPipeline(event),
    );
  }

  @OnDomainEvent(ReleaseChanged)
  releaseChanged(event: ReleaseChanged): Promise<void> {
    return this.notifyOne({ kind: 'release', owner: event.projectId }, (payloads) =>
      payloads.buildRelease(event),
    );
  }

  @OnDomainEvent(EmojiAwarded)
  emojiAwarded(event: EmojiAwarded): Promise<void> {
    const trigger = { kind: 'emoji', owner: event.projectId, lacksCommit: true } as const;
    return this.notifyOne(trigger, (payloads) => payloads.buildEmoji(event));
  }

  @OnDomainEvent(UserCreated)
  userCreated({ user }: UserCreated): Promise<void> {
    return this.notifyInstance(() => this.instance.buildUser('user_create', user.id));
  }

  @OnDomainEvent(UserDeleted)
  userDeleted({ userId }: UserDeleted): Promise<void> {
    return this.notifyInstance(() => this.instance.buildUser('user_destroy', userId));
  }

  @OnDomainEvent(SshKeysChanged)
  sshKeysChanged(event: SshKeysChanged): Promise<void> {
    return this.notifyInstance(() => this.instance.buildKeys(event));
  }

  @OnDomainEvent(ProjectCreated)
  projectCreated({ projectId }: ProjectCreated): Promise<void> {
    return this.notifyInstance(async () => [
      ...(await this.instance.buildProjects('project_create', [projectId])),
      ...(await this.instance.buildAddedMembers('project', projectId, null)),
    ]);
  }

  @OnDomainEvent(ProjectsRemoved)
  projectsRemoved({ projectIds }: ProjectsRemoved): Promise<void> {
    return this.notifyInstance(() => this.instance.buildProjects('project_destroy', projectIds));
  }

  @OnDomainEvent(ProjectMoved)
  projectMoved(event: ProjectMoved): Promise<void> {
    return this.notifyInstance(() => this.instance.buildMovedProject(event));
  }

  @OnDomainEvent(GroupCreated)
  groupCreated({ group }: GroupCreated): Promise<void> {
    return this.notifyInstance(async () => [
      this.instance.buildGroup('group_create', group),
      ...(await this.instance.buildAddedMembers('group', group.id, null)),
    ]);
  }

  @OnDomainEvent(GroupRemoved)
  groupRemoved({ group }: GroupRemoved): Promise<void> {
    return this.notifyInstance(() =>
      Promise.resolve([this.instance.buildGroup('group_destroy', group)]),
    );
  }

  @OnDomainEvent(MemberAdded)
  memberAdded({ source, sourceId, userId }: MemberAdded): Promise<void> {
    return this.notifyInstance(() => this.instance.buildAddedMembers(source, sourceId, userId));
  }

  @OnDomainEvent(MembersRemoved)
  membersRemoved({ source, memberships }: MembersRemoved): Promise<void> {
    return this.notifyInstance(() => this.instance.buildRemovedMembers(source, memberships));
  }

  private notifyOne(
    trigger: Parameters<HookNotifier['notifyOne']>[0],
    build: (payloads: HookPayloads) => Promise<object | null>,
  ): Promise<void> {
    return this.hooks.notifyOne(trigger, (version) => build(this.versions.of(version)));
  }

  /** Notifies system hooks. The events are built once, and worded for each version. */
  private async notifyInstance(
    build: () => Promise<readonly object[] | object | null>,
  ): Promise<void> {
    let built: Promise<readonly object[]> | undefined;
    await this.hooks.notify(SYSTEM, async (version) => {
      built ??= build().then((events) => (events === null ? [] : [events].flat()));
      const payloads = this.versions.of(version);
      return (await built).map((event) => payloads.presentForInstance('system', event));
    });
  }

  private async notifyOfRefs(
    push: PushRecorded,
    batch: readonly RefUpdate[],
    kind: keyof typeof PREFIXES,
    budget: FilterBudget,
  ): Promise<number> {
    const prefix = PREFIXES[kind];
    const updates = batch.filter(({ ref }) => ref.startsWith(prefix));
    if (updates.length === 0) return 0;
    // Built once for both kinds of hook, and only for versions that have one.
    const payloads = new Map<HookVersion, Promise<object[]>>();
    const build = (version: HookVersion): Promise<object[]> => {
      const known = payloads.get(version) ?? this.buildPushes(push, batch, prefix, version);
      payloads.set(version, known);
      return known;
    };
    const branches = updates.map(({ ref }) => (kind === 'push' ? ref.slice(prefix.length) : null));
    const ofProject = { kind, owner: push.projectId };
    const count = await this.hooks.notifyOfRefs(ofProject, branches, budget, build);
    const ofInstance = { kind, owner: null };
    return (
      count +
      (await this.hooks.notifyOfRefs(ofInstance, branches, budget, async (version) =>
        (await build(version)).map((payload) =>
          this.versions.of(version).presentForInstance(kind, payload),
        ),
      ))
    );
  }

  private async buildPushes(
    push: PushRecorded,
    batch: readonly RefUpdate[],
    prefix: string,
    version: HookVersion,
  ): Promise<object[]> {
    const refs = await push.refs.describe(batch);
    return this.versions.of(version).buildPushes(
      push,
      refs.filter(({ ref }) => ref.startsWith(prefix)),
    );
  }

  private async notifyOfUpdate(push: PushRecorded): Promise<void> {
    const refs = push.refs.batches
      .flat()
      .filter(({ ref }) => Object.values(PREFIXES).some((prefix) => ref.startsWith(prefix)));
    if (refs.length === 0) return;
    await this.notifyOne({ kind: 'repository_update', owner: null }, (payloads) =>
      payloads.buildRepositoryUpdate(push, refs.slice(0, REFS_PER_UPDATE)),
    );
  }
}

/** Whether the request that caused an event has seen that its project has no hooks. Most have none, and save the query. */
const lacksHooks = ({ project }: { project: EventProject }): boolean => project.hasHooks === false;
