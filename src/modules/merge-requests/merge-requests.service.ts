import { Injectable } from '@nestjs/common';
import { GitTimeoutError, RepositoryMissingError } from '../../git/index.js';
import { UnitOfWork } from '../../platform/database/index.js';
import {
  DomainError,
  forbidden,
  invalidFields,
  notFound,
  recordNotFound,
} from '../../platform/errors/index.js';
import type { SlotCaller } from '../../platform/limits/index.js';
import type { Page, PageRequest } from '../../platform/pagination/index.js';
import {
  allows,
  canSee,
  type GroupRef,
  type ListReader,
  type ProjectAccess,
  ProjectAccessRepository,
  type ProjectRef,
  type Subject,
  WideLists,
} from '../authorization/index.js';
import {
  type ActionPlan,
  actionsOf,
  type AppliedActions,
  assertFields,
  type FurtherActions,
  INITIAL_COUNTERS,
  type IssuableKey,
  IssuableRelations,
  LabelsRepository,
  type QuickAction,
  QuickActionPlanner,
  QuickActionReader,
  QuickActionRunner,
  type TextWithActions,
  Triage,
  type TriageInput,
} from '../issuables/index.js';
import { PushLock } from '../storage/index.js';
import type { User } from '../users/index.js';
import { actionCaseOf, actionCaseOfNew } from './changes/merge-request-action-case.js';
import {
  assertPresent,
  type CreateMergeRequestInput,
  lockOf,
  permittedTriage,
  type UpdateMergeRequestInput,
  withTexts,
} from './changes/merge-request-input.js';
import { MergeRequestChangeRecorder } from './changes/merge-request-change-recorder.js';
import {
  applyStateEvent,
  changedFields,
  isClosed,
  isReopened,
  isRetargeted,
  type MergeRequestChange,
  NO_AUTOMATIC_MERGE,
} from './changes/merge-request-change.js';
import { describedIssuable, issuableOf } from './model/merge-request-kind.js';
import {
  isFiltered,
  type MergeRequestFilter,
  type ProjectsOfList,
} from './model/merge-request-list.sql.js';
import { isOpen } from './model/merge-request.entity.js';
import { MergeRequestChanged, type MergeRequestField } from './model/merge-request.events.js';
import { assertReadable, mayEdit } from './model/merge-request.policy.js';
import {
  type LocatedMergeRequest,
  MergeRequestsRepository,
  type MergeRequestWithRelations,
} from './model/merge-requests.repository.js';
import { authorRemovalColumns, type SourceBranchRemoval } from './model/source-branch-removal.js';
import {
  type Branches,
  mayRemoveBranches,
  MergeRequestBranches,
  retryWhenOpened,
} from './versions/merge-request-branches.js';
import { VersionsService } from './versions/versions.service.js';

/** A merge request whose author may open it; whether its branches allow it is still to be checked. */
interface MergeRequestDraft extends Branches {
  author: User;
  title: string;
  description: string | null;
  removeSourceBranch: SourceBranchRemoval;
  squash: boolean | null;
  triage: TriageInput;
}

/** Merge requests. The rules are those of docs/reference/merge-requests.md#rules. */
@Injectable()
export class MergeRequestsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly pushLock: PushLock,
    private readonly projects: ProjectAccessRepository,
    private readonly mergeRequests: MergeRequestsRepository,
    private readonly relations: IssuableRelations,
    private readonly branches: MergeRequestBranches,
    private readonly versions: VersionsService,
    private readonly triage: Triage,
    private readonly labels: LabelsRepository,
    private readonly changes: MergeRequestChangeRecorder,
    private readonly wide: WideLists,
    private readonly quickActions: QuickActionReader,
    private readonly planner: QuickActionPlanner,
    private readonly runner: QuickActionRunner,
  ) {}

  /** Lists the merge requests into a project, for a reader who may read all of them. Checks no merge status. */
  list(
    { id, client = {} }: Pick<ProjectRef, 'id'> & { client?: Partial<SlotCaller> | undefined },
    reader: Subject,
    filter: MergeRequestFilter,
    request: PageRequest,
  ): Promise<Page<MergeRequestWithRelations>> {
    return this.wide.readNarrow(client, { request, isFiltered: isFiltered(filter) }, () =>
      this.mergeRequests.list({ projectIds: [id], filter, request }, reader),
    );
  }

  /** Lists the merge requests of all projects, or of a group's, that the reader may read. Checks no merge status. */
  listAcross(
    projects: ProjectsOfList,
    { reader, client }: ListReader,
    filter: MergeRequestFilter,
    request: PageRequest,
    group?: GroupRef,
  ): Promise<Page<MergeRequestWithRelations>> {
    return this.wide.read(client, async () => {
      const projectIds = await this.mergeRequests.findListedProjects(projects, reader, group?.id);
      return this.mergeRequests.list({ projectIds, filter, request }, reader);
    });
  }

  /**
   * Reads a merge request, and checks whether it can be merged if that is unknown. It stays unknown if git takes too long.
   * @throws DomainError record not found, forbidden
   */
  async read(
    access: ProjectAccess,
    reader: Subject,
    key: IssuableKey,
  ): Promise<MergeRequestWithRelations> {
    const found = await this.mergeRequests.findWithRelations(access.project.id, key, reader);
    if (found === null) throw recordNotFound('merge-request');
    const row = assertReadable(found.issuable, access, reader);
    const check = this.branches.checkMergeability(row, access.project.client);
    const mergeStatus = await check.catch((error: unknown) => {
      // All that is shown is in the database.
      if (error instanceof RepositoryMissingError || error instanceof GitTimeoutError)
        return row.mergeStatus;
      throw error;
    });
    return { ...found, issuable: { ...row, mergeStatus } };
  }

  /**
   * Opens a merge request from a branch of a project, and carries out the quick actions of its description. Drops what the author
   * may not set in the target project, and the removal of a branch that they may not delete.
   * @param access to the source project
   * @throws DomainError forbidden, not found, branch pair refused, merge request exists, conflict, invalid fields
   */
  async create(
    access: ProjectAccess,
    author: User,
    given: CreateMergeRequestInput,
  ): Promise<MergeRequestWithRelations> {
    const source = access.project;
    if (source.archived) throw forbidden();
    const into = await this.findTarget(access, author, given.targetProjectId ?? source.id);
    const target = into.project;
    assertPresent(given);
    const { text, actions } = await this.quickActions.read(given.description ?? '');
    const plan = await this.planner.plan(actions, actionCaseOfNew(into, author, given));
    const { stateEvent: _, ...fields } = plan.fields;
    const input = actions.length === 0 ? given : { ...given, ...fields, description: text };
    const title = (fields.title ?? given.title).trim();
    const { sourceBranch, targetBranch, description, removeSourceBranch: removal } = input;
    const triage = permittedTriage(into, input);
    assertFields({ ...triage, title, description });
    const draft: MergeRequestDraft = {
      source,
      sourceBranch,
      target,
      targetBranch,
      author,
      title,
      triage,
      description: description ?? null,
      removeSourceBranch: removal && mayRemoveBranches(access),
      squash: input.squash ?? null,
    };
    await this.branches.assertRelated(draft);
    const claim = { projectIds: [source.id, target.id], userId: author.id };
    return retryWhenOpened(() =>
      this.pushLock.hold(claim, async () => {
        await this.branches.assertRelated(draft);
        await this.branches.assertPossible(draft);
        const opened = await this.insert(draft);
        if (actions.length === 0) return opened;
        return this.finishNew(into, author, opened.issuable.id, plan);
      }),
    );
  }

  /**
   * Updates, closes or reopens a merge request, and carries out the quick actions of a new description. Drops what the caller may not
   * change.
   * @throws DomainError forbidden, record not found, branch pair refused, merge request exists, conflict, invalid fields
   */
  async update(
    access: ProjectAccess,
    caller: User,
    id: number,
    input: UpdateMergeRequestInput,
  ): Promise<MergeRequestWithRelations> {
    const { project } = access;
    if (project.archived) throw forbidden();
    const read = await this.quickActions.read(input.description ?? '');
    const stateEvent = reopens(read.actions) ? 'reopen' : input.stateEvent;
    const updated = await retryWhenOpened(() =>
      this.runUpdate(project.id, caller, id, { ...input, stateEvent }, () =>
        this.applyWithActions(access, caller, id, input, read),
      ),
    );
    return this.relations.loadOne('MergeRequest', updated, caller);
  }

  /** Runs a unit of work with the locks that quick actions need. It may run twice. */
  runActions<T>(
    { project }: ProjectAccess,
    caller: User,
    id: number,
    actions: readonly QuickAction[],
    work: () => Promise<T>,
  ): Promise<T> {
    const input = reopens(actions) ? ({ stateEvent: 'reopen' } as const) : {};
    return retryWhenOpened(() => this.runUpdate(project.id, caller, id, input, work));
  }

  /**
   * Carries out the quick actions of a note, within `runActions`.
   * @param further how those are carried out that are no part of an update
   * @throws ReopeningRefused; DomainError record not found, invalid fields
   */
  async carryOut(
    access: ProjectAccess,
    caller: User,
    id: number,
    actions: readonly QuickAction[],
    further: FurtherActions,
  ): Promise<AppliedActions> {
    const before = await this.lock(access.project, id);
    const plan = await this.plan(access, caller, before, { actions, given: {} });
    const { fields } = plan;
    const isChanged = Object.keys(fields).length > 0;
    const after = isChanged
      ? await this.applyUpdate(access, caller, id, fields).catch((error: unknown) => {
          const isReopening = error instanceof DomainError && fields.stateEvent === 'reopen';
          throw isReopening ? new ReopeningRefused() : error;
        })
      : before;
    return this.finishActions(access, caller, after, plan, further);
  }

  /**
   * Deletes a merge request: hides it at once; its iid stays taken.
   * @returns the request as it was
   * @throws DomainError record not found
   */
  delete(project: ProjectRef, caller: Subject, id: number): Promise<MergeRequestWithRelations> {
    return this.work.run(async () => {
      const mergeRequest = await this.lock(project, id);
      const deleted = await this.relations.loadOne('MergeRequest', mergeRequest, caller);
      await this.relations.removeAll({ type: 'MergeRequest', id });
      await this.mergeRequests.markDeleted(id);
      await this.versions.removeHeadRef(mergeRequest);
      return deleted;
    });
  }

  /** @throws DomainError not found when the author cannot see the project, forbidden */
  private async findTarget(
    access: ProjectAccess,
    author: User,
    id: number,
  ): Promise<ProjectAccess> {
    if (id === access.project.id) return access;
    const found = await this.projects.find(author, { id });
    if (found === null || !canSee(found)) throw notFound('project');
    if (!found.project.mergeRequestsEnabled || found.project.archived) throw forbidden();
    return found;
  }

  /** Writes a new request with its first version. @throws DomainError not found: the target project is deleted */
  private async insert(draft: MergeRequestDraft): Promise<MergeRequestWithRelations> {
    const { source, target, author, removeSourceBranch, triage, ...texts } = draft;
    const found = await this.triage.resolve(target, triage);
    const { assignees, reviewers, milestone, labels } = found;
    const inserted = await this.mergeRequests.insert({
      ...texts,
      projectId: target.id,
      sourceProjectId: source.id,
      authorId: author.id,
      assigneeIds: assignees?.ids ?? [],
      reviewerIds: reviewers?.ids ?? [],
      milestoneId: milestone?.id ?? null,
      ...authorRemovalColumns(removeSourceBranch, author.id),
    });
    if (inserted === null) throw notFound('project');
    const { id, projectId } = inserted;
    if (labels !== undefined && labels.length > 0) {
      const ids = labels.map((label) => label.id);
      await this.labels.replace({ type: 'MergeRequest', id }, ids);
    }
    await this.versions.record(inserted);
    await this.changes.recordCreation(target, describedIssuable(inserted), author);
    await this.changes.publishChanges([new MergeRequestChanged(projectId, id, author.id, 'open')]);
    return {
      // Read again for the columns that the version has changed.
      issuable: (await this.mergeRequests.findIn(projectId, id)) ?? inserted,
      author,
      labels: labels ?? [],
      milestone: milestone ?? null,
      assignees: assignees?.added ?? [],
      reviewers: reviewers?.added ?? [],
      counters: INITIAL_COUNTERS,
    };
  }

  /**
   * Runs an update as one unit of work. One that may record a version runs under the push locks of both
   * projects, which come before the row of the request, as they do for a push.
   */
  private async runUpdate<Result>(
    projectId: number,
    { id: userId }: User,
    id: number,
    { stateEvent, targetBranch }: UpdateMergeRequestInput,
    update: () => Promise<Result>,
  ): Promise<Result> {
    if (stateEvent !== 'reopen' && targetBranch === undefined) return this.work.run(update);
    const found = await this.mergeRequests.findIn(projectId, id);
    const projectIds = [projectId, found?.sourceProjectId ?? projectId];
    return this.pushLock.hold({ projectIds, userId }, update);
  }

  /** Updates a request with the quick actions of its new description. */
  private async applyWithActions(
    access: ProjectAccess,
    actor: User,
    id: number,
    given: UpdateMergeRequestInput,
    read: TextWithActions,
  ): Promise<LocatedMergeRequest> {
    if (read.actions.length === 0) return this.applyUpdate(access, actor, id, given);
    const before = await this.lock(access.project, id);
    if (given.description === before.description || !mayEdit(before, access, actor)) {
      return this.applyUpdate(access, actor, id, given);
    }
    const { text, actions } = await this.quickActions.readChange(
      given.description ?? '',
      read,
      before.description ?? '',
    );
    const plan = await this.plan(access, actor, before, { actions, given });
    const input = { ...given, ...plan.fields, description: text };
    const after = await this.applyUpdate(access, actor, id, input);
    await this.finishActions(access, actor, after, plan);
    return this.lock(access.project, id);
  }

  /** Carries out what quick actions do with a new request beyond its fields. */
  private async finishNew(
    into: ProjectAccess,
    author: User,
    id: number,
    plan: ActionPlan,
  ): Promise<MergeRequestWithRelations> {
    const { stateEvent } = plan.fields;
    if (stateEvent !== undefined) await this.applyUpdate(into, author, id, { stateEvent });
    await this.finishActions(into, author, await this.lock(into.project, id), plan);
    const opened = await this.lock(into.project, id);
    return this.relations.loadOne('MergeRequest', opened, author);
  }

  /** Plans quick actions for a locked request. @param given what is changed with them */
  private plan(
    access: ProjectAccess,
    user: User,
    before: LocatedMergeRequest,
    { actions, given }: { actions: readonly QuickAction[]; given: UpdateMergeRequestInput },
  ): Promise<ActionPlan> {
    const triage = permittedTriage(access, given);
    const target = { type: 'MergeRequest', id: before.id } as const;
    return this.planner.plan(actions, {
      ...actionCaseOf(access, user, before, { ...given, ...triage }),
      labels: async () =>
        (await this.triage.withAllLabels(target, triage)).labels ?? this.labels.namesOf(target),
    });
  }

  private finishActions(
    access: ProjectAccess,
    user: User,
    request: LocatedMergeRequest,
    plan: ActionPlan,
    further: FurtherActions = {},
  ): Promise<AppliedActions> {
    const mayTrackTime = allows(access, 'merge-request:edit-any') && !access.project.archived;
    return this.runner.finish(plan, { target: issuableOf(request), user, mayTrackTime }, further);
  }

  /** @throws DomainError record not found */
  private async lock({ id: projectId }: ProjectRef, id: number): Promise<LocatedMergeRequest> {
    const request = await this.mergeRequests.lockIn(projectId, id);
    if (request === null) throw recordNotFound('merge-request');
    return request;
  }

  private async applyUpdate(
    access: ProjectAccess,
    actor: User,
    id: number,
    input: UpdateMergeRequestInput,
  ): Promise<LocatedMergeRequest> {
    const { project } = access;
    const change = await this.prepareChange(access, actor, id, input);
    const { before } = change;
    await this.assertBranchesAllow(project, actor, change);
    const fields = changedFields(change);
    const isUnchanged = fields.length === 0 && before.state === change.after.state;
    const after = isUnchanged ? before : await this.writeChange(change, actor.id);
    await this.changes.recordChange({
      project,
      actor,
      before: describedIssuable(before),
      after: describedIssuable(after),
      finishesTodo: finishesTodos(fields) || isClosed({ before, after }),
    });
    await this.changes.publishChanges(
      actionsOf({ before, after }, input).map((action) => {
        const update = action === 'update' ? { fields, before, labels: change.labels } : {};
        return new MergeRequestChanged(project.id, id, actor.id, action, update);
      }),
    );
    return after;
  }

  /**
   * Locks the request and applies the input to it. Labels are replaced at once, everything else is left to
   * `writeChange`.
   * @throws DomainError forbidden, record not found, invalid fields
   */
  private async prepareChange(
    access: ProjectAccess,
    caller: User,
    id: number,
    input: UpdateMergeRequestInput,
  ): Promise<MergeRequestChange> {
    const before = await this.lock(access.project, id);
    if (!mayEdit(before, access, caller)) throw forbidden();
    const title = input.title?.trim();
    const triage = await this.triage.withAllLabels(
      { type: 'MergeRequest', id },
      permittedTriage(access, input),
    );
    const removal = await this.removalColumns(before, caller, input.removeSourceBranch);
    assertFields({ ...triage, title, description: input.description });
    const { labels, ...triaged } = await this.triage.resolve(access.project, triage, before);
    const { assignees, reviewers, milestone } = triaged;
    return {
      before,
      after: {
        ...applyStateEvent(withTexts(before, { ...input, title }, caller), input.stateEvent),
        ...removal,
        ...(assignees === undefined ? {} : { assigneeIds: assignees.ids }),
        ...(reviewers === undefined ? {} : { reviewerIds: reviewers.ids }),
        ...(milestone === undefined ? {} : { milestoneId: milestone?.id ?? null }),
        ...lockOf(access, input),
      },
      ...triaged,
      ...(labels === undefined
        ? {}
        : {
            labels: await this.labels.replace(
              { type: 'MergeRequest', id },
              labels.map((label) => label.id),
            ),
          }),
    };
  }

  /** Drops a removal that the caller may not ask for. */
  private async removalColumns(
    { sourceProjectId }: LocatedMergeRequest,
    caller: User,
    removal: boolean | undefined,
  ): Promise<Partial<LocatedMergeRequest>> {
    if (removal === undefined) return {};
    const isPermitted =
      !removal || (await this.branches.findRemovableSource(caller, sourceProjectId)) !== null;
    return isPermitted ? authorRemovalColumns(removal, caller.id) : {};
  }

  /**
   * Checks that the branches allow a change: a request that is reopened needs all that a new one needs, another
   * target branch has to exist. Both publish the newest commits of the source branch, so that the caller has to be
   * able to read them.
   * @throws DomainError forbidden, branch pair refused, merge request exists, conflict, invalid fields
   */
  private async assertBranchesAllow(
    target: ProjectRef,
    actor: User,
    change: MergeRequestChange,
  ): Promise<void> {
    const { id, sourceProjectId, sourceBranch, targetBranch } = change.after;
    if (!isReopened(change) && !isRetargeted(change)) return;
    const source = await this.findReadableSource(actor, sourceProjectId);
    if (isReopened(change)) {
      if (source === null) throw invalidFields({ sourceBranch: [{ rule: 'missing' }] });
      const branches = { source, sourceBranch, target, targetBranch };
      await this.branches.assertRelated(branches);
      await this.branches.assertPossible(branches, id);
    } else {
      const branches = { source: { id: sourceProjectId }, sourceBranch, target, targetBranch };
      await this.branches.assertTargetPossible(branches, id);
    }
  }

  /**
   * Finds the source project; null when it is deleted.
   * @throws DomainError forbidden when the caller may not read its code
   */
  private async findReadableSource(caller: User, id: number | null): Promise<ProjectRef | null> {
    const access = id === null ? null : await this.projects.find(caller, { id });
    if (access === null) return null;
    if (!canSee(access) || !allows(access, 'code:read')) throw forbidden();
    return access.project;
  }

  /** Writes a change, and a version when the request is reopened or retargeted. */
  private async writeChange(
    change: MergeRequestChange,
    actorId: number,
  ): Promise<LocatedMergeRequest> {
    const needsVersion = isOpen(change.after) && (isReopened(change) || isRetargeted(change));
    if (!needsVersion) return this.changes.write(change, actorId);
    const unchecked = { mergeStatus: 'unchecked', checkedTargetSha: null } as const;
    // Whoever has it wait may merge into the other branch, not into this one.
    const stopped = isRetargeted(change) ? NO_AUTOMATIC_MERGE : {};
    const after = { ...change.after, ...unchecked, ...stopped };
    const written = await this.changes.write({ ...change, after }, actorId);
    await this.versions.record(written);
    return (await this.mergeRequests.findIn(written.projectId, written.id)) ?? written;
  }
}

const QUIET_FIELDS: ReadonlySet<MergeRequestField> = new Set<MergeRequestField>([
  'removeSourceBranch',
  'squash',
  'discussionLocked',
]);

/** Whether a change of these fields marks the actor's todos as done (docs/reference/todos.md#when-todos-are-done). */
const finishesTodos = (fields: readonly MergeRequestField[]): boolean =>
  fields.some((field) => !QUIET_FIELDS.has(field));

/** A quick action cannot reopen the request. */
export class ReopeningRefused extends Error {}

const reopens = (actions: readonly QuickAction[]): boolean =>
  actions.some(({ name }) => name === 'reopen');
