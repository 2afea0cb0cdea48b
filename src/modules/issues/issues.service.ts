import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { forbidden, notFound, recordNotFound } from '../../platform/errors/index.js';
import {
  defineJob,
  HandlesJob,
  type JobHandler,
  type JobRequest,
} from '../../platform/queue/index.js';
import {
  allows,
  type ProjectAccess,
  type ProjectRef,
  type Subject,
} from '../authorization/index.js';
import {
  type ActionPlan,
  type AppliedActions,
  actionsOf,
  assertFields,
  FollowUps,
  hasReferences,
  INITIAL_COUNTERS,
  isEnabled,
  IssuableActivityRecorder,
  type IssuableKey,
  IssuableRelations,
  LabelsRepository,
  NotesRepository,
  type QuickAction,
  QuickActionPlanner,
  QuickActionReader,
  QuickActionRunner,
  Triage,
} from '../issuables/index.js';
import { POST_RECEIVE_DELAY_MS } from '../repository/index.js';
import type { User } from '../users/index.js';
import { IssueLinksRepository } from './links/issue-links.repository.js';
import { actionCaseOf, actionCaseOfNew } from './model/issue-action-case.js';
import {
  applyUpdate,
  changedFields,
  changeTexts,
  type CreateIssueInput,
  finishesTodo,
  type IssueChange,
  permittedUpdate,
  type UpdateIssueInput,
} from './model/issue-change.js';
import { describedIssuable, issuableOf } from './model/issue-kind.js';
import { IssueChanged, toReport } from './model/issue.events.js';
import { mayEdit, mayRead } from './model/issue.policy.js';
import {
  IssuesRepository,
  type IssueWithRelations,
  type LocatedIssue,
  type NewIssue,
} from './model/issues.repository.js';

/** An issue to close, because of a pushed commit or a merge. */
export interface Closing {
  projectId: number;
  issueId: number;
  /** Author of the note and of the event. */
  actorId: number;
  /** What closes it, as its note says: `commit …` with the whole hash, `merge request !5`. */
  via: string;
}

/** A closing that an older version queued names the project that its note hid from some readers. */
interface QueuedClosing extends Closing {
  from?: { prefix: string } | undefined;
}

/** Closes an issue that a pushed commit closes. */
const closeByCommit = defineJob<QueuedClosing>('issues', 'close-by-commit', {
  transactional: true,
});

/** Returns the job that closes an issue. */
export function closingJob(closing: Closing): JobRequest {
  return closeByCommit.with(closing, { delayMs: POST_RECEIVE_DELAY_MS });
}

/** Reads and changes issues (docs/reference/issues.md). */
@Injectable()
@HandlesJob(closeByCommit)
export class IssuesService implements JobHandler<QueuedClosing> {
  constructor(
    private readonly work: UnitOfWork,
    private readonly issues: IssuesRepository,
    private readonly links: IssueLinksRepository,
    private readonly relations: IssuableRelations,
    private readonly triage: Triage,
    private readonly labels: LabelsRepository,
    private readonly notes: NotesRepository,
    private readonly activity: IssuableActivityRecorder,
    private readonly followUps: FollowUps,
    private readonly quickActions: QuickActionReader,
    private readonly planner: QuickActionPlanner,
    private readonly runner: QuickActionRunner,
  ) {}

  /** @throws DomainError record not found, also for an issue that the reader may not read */
  async read(
    access: ProjectAccess,
    reader: Subject,
    key: IssuableKey,
  ): Promise<IssueWithRelations> {
    // Disabled issues may not be read, which needs no statement.
    const { project } = access;
    const found = isEnabled(project, 'Issue')
      ? await this.issues.findWithRelations(project.id, key, reader)
      : null;
    if (found === null || !mayRead(found.issuable, access, reader)) throw recordNotFound('issue');
    return found;
  }

  /**
   * Creates an issue, and carries out the quick actions of its description. Fields that the author may not set are ignored.
   * @throws DomainError invalid record, not found if the project was deleted meanwhile
   */
  async create(
    access: ProjectAccess,
    author: User,
    given: CreateIssueInput,
  ): Promise<IssueWithRelations> {
    // Texts of others are quoted in the description of a follow-up: its quick actions are not carried out.
    const { text, actions } = await this.quickActions.read(given.description ?? '');
    if (actions.length === 0) return this.insert(access, author, given);
    const plan = await this.planner.plan(actions, actionCaseOfNew(access, author, given));
    const { stateEvent, ...fields } = plan.fields;
    const created = await this.work.run(async () => {
      const title = fields.title ?? given.title;
      const input = { ...given, ...fields, title, description: text };
      const { id } = (await this.insert(access, author, input)).issuable;
      const before = await this.lock(access, id);
      if (stateEvent !== undefined) await this.change(access, author, before, { stateEvent });
      await this.finishActions(access, author, before, plan);
      return this.lock(access, id);
    });
    return this.relations.loadOne('Issue', created, author);
  }

  /**
   * Changes, closes or reopens an issue, and carries out the quick actions of a new description. Fields that the caller may not set
   * are ignored.
   * @throws DomainError forbidden, record not found, invalid record
   */
  async update(
    access: ProjectAccess,
    caller: User,
    id: number,
    given: UpdateIssueInput,
  ): Promise<IssueWithRelations> {
    const { description } = given;
    const text = description ?? '';
    const read = await this.quickActions.read(text);
    const updated = await this.work.run(async () => {
      const before = await this.lock(access, id);
      if (!mayEdit(before, access, caller)) throw forbidden();
      const isSame = description === before.description;
      if (read.actions.length === 0 || isSame) return this.change(access, caller, before, given);
      const added = await this.quickActions.readChange(text, read, before.description ?? '');
      const plan = await this.plan(access, caller, before, { actions: added.actions, given });
      const input = { ...given, ...plan.fields, description: added.text };
      const after = await this.change(access, caller, before, input);
      await this.finishActions(access, caller, after, plan);
      return this.lock(access, id);
    });
    return this.relations.loadOne('Issue', updated, caller);
  }

  /**
   * Carries out the quick actions of a note, in the caller's unit of work.
   * @throws DomainError record not found, invalid record
   */
  async carryOut(
    access: ProjectAccess,
    caller: User,
    id: number,
    actions: readonly QuickAction[],
  ): Promise<AppliedActions> {
    const before = await this.lock(access, id);
    const plan = await this.plan(access, caller, before, { actions, given: {} });
    const isChanged = Object.keys(plan.fields).length > 0;
    const after = isChanged ? await this.change(access, caller, before, plan.fields) : before;
    return this.finishActions(access, caller, after, plan);
  }

  /**
   * Deletes an issue. Its number is not used again
   * (docs/reference/issues.md#delete-projectsidissuesissue_id).
   * @returns the issue as it was
   * @throws DomainError not found
   */
  remove(project: ProjectRef, caller: Subject, id: number): Promise<IssueWithRelations> {
    return this.work.run(async () => {
      const issue = await this.issues.lockIn(project.id, id);
      if (issue === null) throw notFound('issue');
      const asItWas = await this.relations.loadOne('Issue', issue, caller);
      await this.relations.removeAll({ type: 'Issue', id });
      await this.links.removeOf(id);
      await this.issues.markDeleted(id);
      return asItWas;
    });
  }

  /**
   * Closes an issue because of a pushed commit or a merge. The caller checks whether it may be closed.
   * @returns false if the issue is closed already or deleted
   */
  close({ projectId, issueId, actorId, via }: Closing): Promise<boolean> {
    return this.work.run(async () => {
      const before = await this.issues.lockIn(projectId, issueId);
      if (before === null || before.state === 'closed') return false;
      const after = await this.write(
        { before, after: { ...before, state: 'closed' }, via },
        actorId,
      );
      await this.activity.finishTodo(issuableOf(after), actorId);
      await this.publish([new IssueChanged({ id: projectId }, after, actorId, 'close')]);
      return true;
    });
  }

  /** Runs the job `closeByCommit`. */
  async handle(closing: QueuedClosing): Promise<void> {
    await this.close({ ...closing, via: viaOf(closing) });
  }

  /** Inserts an issue with a description without quick actions. */
  private async insert(
    access: ProjectAccess,
    author: User,
    { title: wanted, description: given, confidential, followUpOf, ...rest }: CreateIssueInput,
  ): Promise<IssueWithRelations> {
    const { project } = access;
    const title = wanted.trim();
    const followUp = followUpOf && (await this.followUps.find(access, author, followUpOf));
    const description = given ?? followUp?.description;
    const { createdAt, dueDate, ...triage } = permittedFields(access, rest);
    assertFields({ ...triage, title, description });
    const texts = { title, description: description ?? null };
    const references = await this.activity.findReferences(project, texts, author);
    const { created, ...relations } = await this.work.run(async () => {
      if (followUp) await this.followUps.lock(followUp);
      const [draft, { assignees, milestone = null, labels = [] }] = await Promise.all([
        this.issues.draft(project.id),
        this.triage.resolve(project, triage),
      ]);
      if (draft === null) throw notFound('project');
      const values: NewIssue = {
        ...texts,
        authorId: author.id,
        assigneeIds: assignees?.ids ?? [],
        milestoneId: milestone?.id ?? null,
        state: 'opened',
        confidential: confidential ?? false,
        dueDate: dueDate ?? null,
        createdAt,
        updatedAt: createdAt,
        labelIds: labels.map(({ id }) => id),
      };
      const created = this.issues.insert(draft, values);
      if (assignees !== undefined || hasReferences(references)) {
        const described = describedIssuable(await created);
        await this.activity.recordCreation(project, described, author, references);
      }
      await this.publish([
        new IssueChanged(project, { ...values, id: draft.id }, author.id, 'open'),
      ]);
      if (followUp) await this.followUps.resolve(access, author, followUp, (await created).iid);
      return { created, labels, milestone, assignees: assignees?.added ?? [] };
    });
    const shown = { reviewers: [], counters: INITIAL_COUNTERS };
    return { issuable: await created, author, ...relations, ...shown };
  }

  /** Changes a locked issue that the caller may edit. */
  private async change(
    access: ProjectAccess,
    caller: User,
    before: LocatedIssue,
    given: UpdateIssueInput,
  ): Promise<LocatedIssue> {
    const { id } = before;
    const permitted = permittedUpdate(access, given);
    const input = {
      ...permitted,
      ...(await this.triage.withAllLabels({ type: 'Issue', id }, permitted)),
    };
    assertFields(input);
    const wanted = await this.prepareChange(access.project, before, input);
    const fields = changedFields(wanted, input.updatedAt);
    const isChanged = fields.length > 0 || before.state !== wanted.after.state;
    const after = isChanged ? await this.write(wanted, caller.id, input.updatedAt) : before;
    const change = { ...wanted, after };
    await this.activity.recordChange({
      project: access.project,
      actor: caller,
      before: describedIssuable(before),
      after: describedIssuable(after),
      finishesTodo: finishesTodo(change, fields),
    });
    await this.publish(
      actionsOf(change, given).map((action) => {
        const update = action === 'update' ? { fields, before, labels: wanted.labels } : {};
        return new IssueChanged(access.project, after, caller.id, action, update);
      }),
    );
    return after;
  }

  /** @throws DomainError record not found */
  private async lock({ project }: ProjectAccess, id: number): Promise<LocatedIssue> {
    const issue = await this.issues.lockIn(project.id, id);
    if (issue === null) throw recordNotFound('issue');
    return issue;
  }

  /** Plans quick actions for a locked issue. @param given what is changed with them */
  private plan(
    access: ProjectAccess,
    user: User,
    before: LocatedIssue,
    { actions, given }: { actions: readonly QuickAction[]; given: UpdateIssueInput },
  ): Promise<ActionPlan> {
    const input = permittedUpdate(access, given);
    const target = { type: 'Issue', id: before.id } as const;
    return this.planner.plan(actions, {
      ...actionCaseOf(access, user, before, input),
      labels: async () =>
        (await this.triage.withAllLabels(target, input)).labels ?? this.labels.namesOf(target),
    });
  }

  private finishActions(
    access: ProjectAccess,
    user: User,
    issue: LocatedIssue,
    plan: ActionPlan,
  ): Promise<AppliedActions> {
    const mayTrackTime = allows(access, 'issue:edit-any');
    return this.runner.finish(plan, { target: issuableOf(issue), user, mayTrackTime });
  }

  private async prepareChange(
    project: ProjectRef,
    before: LocatedIssue,
    input: UpdateIssueInput,
  ): Promise<IssueChange> {
    const { labels, ...triaged } = await this.triage.resolve(project, input, before);
    return {
      before,
      after: applyUpdate(before, input, triaged),
      ...triaged,
      ...(labels === undefined ? {} : { labels: await this.relabel(before, labels) }),
    };
  }

  private relabel({ id }: Pick<LocatedIssue, 'id'>, labels: readonly { id: number }[]) {
    return this.labels.replace(
      { type: 'Issue', id },
      labels.map((label) => label.id),
    );
  }

  /** Writes a change of a locked issue with its system notes. @param updatedAt now if absent */
  private async write(
    change: IssueChange,
    actorId: number,
    updatedAt?: Date,
  ): Promise<LocatedIssue> {
    const { before, after } = change;
    for (const text of changeTexts(change)) {
      await this.notes.insertSystemNote(issuableOf(after), actorId, text);
    }
    return this.issues.update({ before, after }, actorId, updatedAt);
  }

  private publish(changes: readonly IssueChanged[]): Promise<void> {
    return this.activity.publish('Issue', changes.map(toReport));
  }
}

/** Returns what closes an issue, without the path of a hidden project: `merge request \!5`, or the hash of a commit. */
function viaOf({ via, from }: QueuedClosing): string {
  return from === undefined ? via : via.replace(from.prefix, from.prefix.endsWith('@') ? '' : '\\');
}

type RestrictedFields = Omit<
  CreateIssueInput,
  'title' | 'description' | 'confidential' | 'followUpOf'
>;

/** Returns the part of the input that the author is permitted to set. */
function permittedFields(
  access: ProjectAccess,
  { createdAt, ...triage }: RestrictedFields,
): RestrictedFields {
  return {
    ...(allows(access, 'issue:triage') ? triage : {}),
    ...(allows(access, 'issue:set-times') ? { createdAt } : {}),
  };
}
