import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { forbidden, recordNotFound } from '../../../platform/errors/index.js';
import { allows, type ProjectAccess } from '../../access/index.js';
import {
  assertFields,
  changedTriage,
  followEdit,
  HiddenReferences,
  type LabelChange,
  LabelLinks,
  LONGEST_TEXT,
  Triage,
  type Triaged,
  type TriageInput,
} from '../../issuables/index.js';
import type { User } from '../../users/index.js';
import { describedOf } from '../issue-kind.js';
import { type IssueAction, IssueChanged } from '../issue.events.js';
import { mayEdit } from '../issue.policy.js';
import type { LocatedIssue } from '../issues.repository.js';
import type { Change } from './change-texts.js';
import { changedFields, FINISHING_FIELDS } from './changed-fields.js';
import { IssueChanges } from './issue-changes.js';
import { IssueOutcome } from './issue-outcome.js';

/** Absent is left as it is; null clears. */
export interface UpdateIssueInput extends TriageInput {
  title?: string | undefined;
  description?: string | null | undefined;
  confidential?: boolean | undefined;
  /** A day, `YYYY-MM-DD`. */
  dueDate?: string | null | undefined;
  stateEvent?: 'close' | 'reopen' | undefined;
  /** In the place of now. */
  updatedAt?: Date | undefined;
}

/** Changes issues (docs/reference/issues.md#put-projectsidissuesissue_id). */
@Injectable()
export class UpdateIssue {
  constructor(
    private readonly work: UnitOfWork,
    private readonly triage: Triage,
    private readonly links: LabelLinks,
    private readonly hidden: HiddenReferences,
    private readonly changes: IssueChanges,
    private readonly outcome: IssueOutcome,
  ) {}

  /**
   * What the caller may not change is passed over.
   * @throws DomainError forbidden, record not found, invalid record
   */
  async run(
    access: ProjectAccess,
    caller: User,
    id: number,
    given: UpdateIssueInput,
  ): Promise<LocatedIssue> {
    if (!access.project.issuesEnabled) throw forbidden();
    return this.work.run(async () => {
      const before = await this.changes.lock(access.project.id, id);
      if (before === null) throw recordNotFound();
      if (!mayEdit(before, access, caller)) throw forbidden();
      const input = permitted(access, given);
      assertFields(input);
      const described = await this.described(before, input.description, caller);
      const change = await this.prepare(access, before, input, described);
      const fields = changedFields(change, input.updatedAt);
      const isAsBefore = fields.length === 0 && before.state === change.after.state;
      const after = isAsBefore
        ? before
        : await this.changes.write(change, caller.id, input.updatedAt);
      const closes = before.state !== after.state && after.state === 'closed';
      await this.outcome.changed({
        ...{ project: access.project, actor: caller },
        ...{ before: describedOf(before), after: describedOf(after) },
        isFinishing: closes || fields.some((field) => FINISHING_FIELDS.has(field)),
      });
      await this.outcome.done(
        actionsOf(before, after, given).map(
          (action) =>
            new IssueChanged(
              after.projectId,
              id,
              caller.id,
              action,
              action === 'update' ? fields : [],
            ),
        ),
      );
      return after;
    });
  }

  private async prepare(
    { project }: ProjectAccess,
    before: LocatedIssue,
    input: UpdateIssueInput,
    described: Described,
  ): Promise<Change> {
    const { labels, ...triaged } = await this.triage.resolve(project, changedTriage(before, input));
    return {
      before,
      after: { ...changed(before, input, triaged), ...described },
      ...triaged,
      ...(labels === undefined ? {} : { labels: await this.relabel(before, labels) }),
    };
  }

  /** What the description is to be: the caller may have been shown less than there is. */
  private async described(
    { description, movedReferences }: LocatedIssue,
    wanted: string | null | undefined,
    caller: User,
  ): Promise<Described> {
    if (wanted === undefined) return { description, movedReferences };
    if (wanted === null || description === null) {
      return { description: wanted, movedReferences: null };
    }
    const hides = await this.hidden.from([{ movedReferences }], caller);
    const before = { text: description, moved: movedReferences };
    const after = followEdit(before, hides, wanted, LONGEST_TEXT);
    return { description: after.text, movedReferences: after.moved && [...after.moved] };
  }

  private relabel({ id }: LocatedIssue, labels: readonly { id: number }[]): Promise<LabelChange> {
    return this.links.replace(
      { type: 'Issue', id },
      labels.map((label) => label.id),
    );
  }
}

type Described = Pick<LocatedIssue, 'description' | 'movedReferences'>;

/** What is left of the input for somebody with this standing. */
function permitted(access: ProjectAccess, given: UpdateIssueInput): UpdateIssueInput {
  const { title, description, confidential, stateEvent, updatedAt, ...triage } = given;
  return {
    ...{ title: title?.trim(), description, confidential, stateEvent },
    ...(allows(access, 'issue:triage') ? triage : {}),
    ...(allows(access, 'issue:set-times') ? { updatedAt } : {}),
  };
}

function changed(
  before: LocatedIssue,
  input: UpdateIssueInput,
  { assignee, milestone }: Triaged,
): LocatedIssue {
  const { title, confidential, dueDate, stateEvent } = input;
  return {
    ...before,
    ...(title === undefined ? {} : { title }),
    ...(confidential === undefined ? {} : { confidential }),
    ...(dueDate === undefined ? {} : { dueDate }),
    ...(stateEvent === undefined ? {} : { state: stateEvent === 'close' ? 'closed' : 'opened' }),
    ...(assignee === undefined ? {} : { assigneeId: assignee?.id ?? null }),
    ...(milestone === undefined ? {} : { milestoneId: milestone?.id ?? null }),
  };
}

/** A change of state first, then everything else that was asked for, changed or not. */
function actionsOf(
  before: LocatedIssue,
  after: LocatedIssue,
  { stateEvent, ...others }: UpdateIssueInput,
): IssueAction[] {
  const saysMore = Object.values(others).some((value) => value !== undefined);
  return [
    ...(before.state === after.state ? [] : [stateEvent ?? ('update' as const)]),
    ...(saysMore ? (['update'] as const) : []),
  ];
}
