import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { forbidden, notFound, recordNotFound } from '../../platform/errors/index.js';
import {
  defineJob,
  HandlesJob,
  type JobHandler,
  type JobRequest,
} from '../../platform/queue/index.js';
import { allows, type ProjectAccess, type ProjectRef, type Subject } from '../access/index.js';
import {
  assertFields,
  changedTriage,
  type DescribedIssuable,
  followEdit,
  type ForeignProject,
  foreignReferences,
  hasReferences,
  INITIAL_COUNTERS,
  isEnabled,
  IssuableActivityRecorder,
  IssuableKinds,
  IssuableRelations,
  LabelsRepository,
  LONGEST_TEXT,
  NotesRepository,
  ReferenceResolver,
  Triage,
  type TriageInput,
} from '../issuables/index.js';
import type { User } from '../users/index.js';
import {
  actionsOf,
  applyUpdate,
  changedFields,
  changeTexts,
  finishesTodo,
  type IssueChange,
  permittedUpdate,
  type UpdateIssueInput,
} from './model/issue-change.js';
import { describedIssuable, issuableOf } from './model/issue-kind.js';
import { IssueChanged, toReport } from './model/issue.events.js';
import { mayEdit, mayRead } from './model/issue.policy.js';
import {
  type IssueDraft,
  IssuesRepository,
  type IssueWithRelations,
  type LocatedIssue,
  type NewIssue,
} from './model/issues.repository.js';

export interface CreateIssueInput extends TriageInput {
  title: string;
  description?: string | undefined;
  confidential?: boolean | undefined;
  /** A day, `YYYY-MM-DD`. */
  dueDate?: string | null | undefined;
  createdAt?: Date | undefined;
  /** `iid` of a merge request in the project. */
  followUpOf?: number | undefined;
}

/** An issue to close, because of a pushed commit or a merge. */
export interface Closing {
  projectId: number;
  issueId: number;
  /** Author of the note and of the event. */
  actorId: number;
  /** What closes it, as its note says: `commit …` with the whole hash, `merge request !5`. */
  via: string;
  /** The project of that commit or merge request if it is another one; hidden from readers who cannot see it. */
  from?: ForeignProject | undefined;
}

/**
 * Delay of jobs that the process that received the push does itself, before it responds. A worker does them if that
 * process ends before.
 */
export const POST_RECEIVE_DELAY_MS = 1_000;

/** Closes an issue that a pushed commit closes. */
const closeByCommit = defineJob<Closing>('issues', 'close-by-commit', {
  transactional: true,
});

/** Returns the job that closes an issue. */
export function closingJob(closing: Closing): JobRequest {
  return closeByCommit.with(closing, { delayMs: POST_RECEIVE_DELAY_MS });
}

type Described = Pick<LocatedIssue, 'description' | 'movedReferences'>;

/** Reads and changes issues (docs/reference/issues.md). */
@Injectable()
@HandlesJob(closeByCommit)
export class IssuesService implements JobHandler<Closing> {
  constructor(
    private readonly work: UnitOfWork,
    private readonly issues: IssuesRepository,
    private readonly relations: IssuableRelations,
    private readonly triage: Triage,
    private readonly labels: LabelsRepository,
    private readonly notes: NotesRepository,
    private readonly references: ReferenceResolver,
    private readonly activity: IssuableActivityRecorder,
    private readonly kinds: IssuableKinds,
  ) {}

  /** @throws DomainError record not found, also for an issue that the reader may not read */
  async read(access: ProjectAccess, reader: Subject, id: number): Promise<IssueWithRelations> {
    // Disabled issues may not be read, which needs no statement.
    const { project } = access;
    const found = isEnabled(project, 'Issue')
      ? await this.issues.findWithRelations(project.id, id, reader)
      : null;
    if (found === null || !mayRead(found.issuable, access, reader)) throw recordNotFound();
    return this.relations.show(found, reader);
  }

  /**
   * Creates an issue. Fields that the author may not set are ignored.
   * @throws DomainError invalid record, not found if the project was deleted meanwhile
   */
  async create(
    access: ProjectAccess,
    author: User,
    { title: wanted, description: given, confidential, followUpOf, ...rest }: CreateIssueInput,
  ): Promise<IssueWithRelations> {
    const { project } = access;
    const title = wanted.trim();
    const description = given ?? (await this.followUpText(access, author, followUpOf));
    const { createdAt, dueDate, ...triage } = permittedFields(access, rest);
    assertFields({ title, description, labels: triage.labels });
    const texts = { title, description: description ?? null };
    const references = await this.activity.findReferences(project, texts, author);
    const { issue, ...relations } = await this.work.run(async () => {
      const [draft, { assignee = null, milestone = null, labels = [] }] = await Promise.all([
        this.issues.draft(project.id),
        this.triage.resolve(project, triage),
      ]);
      if (draft === null) throw notFound('Project');
      const values: NewIssue = {
        ...texts,
        authorId: author.id,
        assigneeId: assignee?.id ?? null,
        milestoneId: milestone?.id ?? null,
        state: 'opened',
        confidential: confidential ?? false,
        dueDate: dueDate ?? null,
        createdAt,
        updatedAt: createdAt,
        labelIds: labels.map(({ id }) => id),
      };
      const isReadBefore = assignee !== null || hasReferences(references) || project.hasHooks;
      const issue = isReadBefore
        ? await this.insert(draft, values, (created) =>
            this.activity.recordCreation(project, created, author, references),
          )
        : this.issues.insertAtCommit(draft, values);
      await this.publish([
        new IssueChanged(project.id, draft.id, author.id, 'open', [], project.hasHooks),
      ]);
      return { issue, labels, milestone, assignee };
    });
    return { issuable: issue(), author, ...relations, counters: INITIAL_COUNTERS };
  }

  /**
   * Changes, closes or reopens an issue. Fields that the caller may not set are ignored.
   * @throws DomainError forbidden, record not found, invalid record
   */
  async update(
    access: ProjectAccess,
    caller: User,
    id: number,
    given: UpdateIssueInput,
  ): Promise<IssueWithRelations> {
    const updated = await this.work.run(async () => {
      const before = await this.issues.lockIn(access.project.id, id);
      if (before === null) throw recordNotFound();
      if (!mayEdit(before, access, caller)) throw forbidden();
      const input = permittedUpdate(access, given);
      assertFields(input);
      const wanted = await this.prepareChange(access.project, caller, before, input);
      const fields = changedFields(wanted, input.updatedAt);
      const isChanged = fields.length > 0 || before.state !== wanted.after.state;
      const after = isChanged ? await this.write(wanted, caller.id, input.updatedAt) : before;
      const change = { ...wanted, after };
      await this.activity.recordChange({
        ...{ project: access.project, actor: caller },
        ...{ before: describedIssuable(before), after: describedIssuable(after) },
        finishesTodo: finishesTodo(change, fields),
      });
      await this.publish(
        actionsOf(change, given).map((action) => {
          const changes = action === 'update' ? fields : [];
          const { id: projectId, hasHooks } = access.project;
          return new IssueChanged(projectId, id, caller.id, action, changes, hasHooks);
        }),
      );
      return after;
    });
    return this.relations.loadOne('Issue', updated, caller);
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
      if (issue === null) throw notFound('Issue');
      const asItWas = await this.relations.loadOne('Issue', issue, caller);
      await this.relations.removeAll({ type: 'Issue', id });
      await this.issues.markDeleted(id);
      return asItWas;
    });
  }

  /**
   * Closes an issue because of a pushed commit or a merge. The caller checks whether it may be closed.
   * @returns false if the issue is closed already or deleted
   */
  close({ projectId, issueId, actorId, via, from }: Closing): Promise<boolean> {
    return this.work.run(async () => {
      const before = await this.issues.lockIn(projectId, issueId);
      if (before === null || before.state === 'closed') return false;
      const after = await this.write(
        { before, after: { ...before, state: 'closed' }, via, from },
        actorId,
      );
      await this.activity.finishTodo(issuableOf(after), actorId);
      await this.publish([new IssueChanged(projectId, issueId, actorId, 'close')]);
      return true;
    });
  }

  /** Runs the job `closeByCommit`. */
  async handle(closing: Closing): Promise<void> {
    await this.close(closing);
  }

  /** Inserts an issue before the commit, and records what it causes. */
  private async insert(
    draft: IssueDraft,
    values: NewIssue,
    record: (created: DescribedIssuable) => Promise<void>,
  ): Promise<() => LocatedIssue> {
    const issue = await this.issues.insert(draft, values);
    await record(describedIssuable(issue));
    return () => issue;
  }

  /**
   * Returns the description of an issue that follows up a merge request
   * (docs/reference/issues.md#follow-up-of-a-merge-request). Merge requests have no discussions in this version.
   */
  private async followUpText(
    access: ProjectAccess,
    author: User,
    iid: number | undefined,
  ): Promise<string | undefined> {
    if (iid === undefined) return undefined;
    const kind = this.kinds.of('MergeRequest');
    const [found] = await kind.findByIid([{ projectId: access.project.id, iid }]);
    if (found === undefined || !kind.allowsReading(found, access, author)) return undefined;
    return `There are no unresolved discussions on !${String(iid)}.`;
  }

  private async prepareChange(
    project: ProjectRef,
    caller: User,
    before: LocatedIssue,
    input: UpdateIssueInput,
  ): Promise<IssueChange> {
    const described = await this.describe(before, input.description, caller);
    const { labels, ...triaged } = await this.triage.resolve(project, changedTriage(before, input));
    return {
      before,
      after: { ...applyUpdate(before, input, triaged), ...described },
      ...triaged,
      ...(labels === undefined ? {} : { labels: await this.relabel(before, labels) }),
    };
  }

  /** Applies the caller's edit to the stored description, of which some references may be hidden from the caller. */
  private async describe(
    { description, movedReferences }: LocatedIssue,
    wanted: string | null | undefined,
    caller: User,
  ): Promise<Described> {
    if (wanted === undefined) return { description, movedReferences };
    if (wanted === null || description === null) {
      return { description: wanted, movedReferences: null };
    }
    const hides = await this.references.findHidden([{ movedReferences }], caller);
    const before = { text: description, moved: movedReferences };
    const after = followEdit(before, hides, wanted, LONGEST_TEXT);
    return { description: after.text, movedReferences: after.moved && [...after.moved] };
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
      const moved = foreignReferences(text, change.from);
      await this.notes.insertSystemNote(issuableOf(after), actorId, text, moved);
    }
    return this.issues.update({ before, after }, actorId, updatedAt);
  }

  private publish(changes: readonly IssueChanged[]): Promise<void> {
    return this.activity.publish('Issue', changes.map(toReport));
  }
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
