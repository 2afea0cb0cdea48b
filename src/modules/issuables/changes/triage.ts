import { enumeration } from '../../../platform/collections/index.js';
import { Injectable } from '@nestjs/common';
import {
  type Ability,
  allows,
  ProjectAccessRepository,
  type ProjectRef,
} from '../../authorization/index.js';
import { type SummarizedUser, UsersRepository } from '../../users/index.js';
import type { Label } from '../planning/label.entity.js';
import type { Issuable } from '../model/issuable.js';
import { labelNameOf } from '../planning/label.rules.js';
import { type LabelChange, LabelsRepository } from '../planning/labels.repository.js';
import type { Milestone } from '../planning/milestone.entity.js';
import { MilestonesRepository } from '../planning/milestones.repository.js';
import type { RelatedRow } from '../relations/issuable-relations.repository.js';

/** The assignees, reviewers, milestone and labels of an issue or merge request. Null clears; absent values are kept. */
export interface TriageInput {
  /** IDs in order; an empty list clears. */
  assigneeIds?: readonly number[] | undefined;
  /** The only assignee, unless it is the first one already: then there is nothing to change. */
  firstAssigneeId?: number | null | undefined;
  /** As `assigneeIds`, of merge requests. */
  reviewerIds?: readonly number[] | undefined;
  milestoneId?: number | null | undefined;
  /** Names. */
  labels?: readonly string[] | undefined;
  /** Names of labels that an update adds to those that there are, or to `labels`. */
  addLabels?: readonly string[] | undefined;
  /** Names of labels that an update removes. */
  removeLabels?: readonly string[] | undefined;
}

/** The rows that the input refers to. */
export interface Triaged {
  assignees?: ListedPeople;
  reviewers?: ListedPeople;
  milestone?: Milestone | null;
  /** By name. */
  labels?: Label[];
}

/** A list of users that is to be stored, and how it differs from that of before. */
export interface ListedPeople {
  readonly ids: readonly number[];
  /** Locked against deletion. */
  readonly added: readonly SummarizedUser[];
  readonly removed: readonly SummarizedUser[];
}

/** The new assignees, reviewers, milestone and labels of an issue or merge request, where they have changed. */
export interface TriageChange {
  assignees?: ListedPeople | undefined;
  reviewers?: ListedPeople | undefined;
  milestone?: Pick<Milestone, 'iid' | 'title' | 'groupId'> | null | undefined;
  labels?: LabelChange | undefined;
}

/** What a row has before a change. */
type TriagedRow = Pick<RelatedRow, 'assigneeIds' | 'reviewerIds' | 'milestoneId'>;

const NEW_ROW: TriagedRow = { assigneeIds: [], reviewerIds: [], milestoneId: null };

/**
 * Finds the assignees, reviewers, milestone and labels of issues and merge requests, and locks them against deletion until the
 * unit of work ends (docs/reference/issues.md#post-projectsidissues).
 */
@Injectable()
export class Triage {
  constructor(
    private readonly users: UsersRepository,
    private readonly access: ProjectAccessRepository,
    private readonly milestones: MilestonesRepository,
    private readonly labels: LabelsRepository,
  ) {}

  /**
   * Resolves the input. Invalid IDs are left out; missing labels are created. Unchanged values are left out of the result, so
   * that an assignee who lost access is kept until removed.
   * @param before none when it is new
   */
  async resolve(project: ProjectRef, input: TriageInput, before = NEW_ROW): Promise<Triaged> {
    const { milestoneId, labels } = input;
    const found: Triaged = await this.people(project, before, {
      assignees: wantedAssignees(before, input),
      reviewers: input.reviewerIds && [...new Set(input.reviewerIds)],
    });
    if (milestoneId !== undefined && milestoneId !== before.milestoneId) {
      found.milestone = await this.milestone(project, milestoneId);
    }
    if (labels !== undefined) {
      found.labels = await this.labels.resolve(project.id, labels, { create: true });
    }
    return found;
  }

  /** Returns the input with all names of labels, if it adds or removes some. The target's row is locked. */
  async withAllLabels(
    target: Pick<Issuable, 'type' | 'id'>,
    input: TriageInput,
  ): Promise<TriageInput> {
    const { addLabels = [], removeLabels = [], labels, ...rest } = input;
    if (addLabels.length === 0 && removeLabels.length === 0) return { ...rest, labels };
    const names = labels ?? (await this.labels.namesOf(target));
    const removed = new Set(removeLabels.map(labelNameOf));
    const all = [...names, ...addLabels].filter((name) => !removed.has(labelNameOf(name)));
    return { ...rest, labels: all };
  }

  /** Returns those of some users who may be assignees in a project, locked against deletion. */
  async assignable(project: ProjectRef, ids: readonly number[]): Promise<readonly number[]> {
    const wanted = { assignees: ids, reviewers: undefined };
    return (await this.people(project, NEW_ROW, wanted)).assignees?.ids ?? [];
  }

  /**
   * Finds the users of new lists, in the order of the lists: those who are in the list already, assignees who may read the project,
   * and reviewers who may read its merge requests. Lists that do not change are left out.
   */
  private async people(
    project: ProjectRef,
    { assigneeIds: assigned, reviewerIds: reviewing = [] }: TriagedRow,
    { assignees, reviewers }: { assignees: Wanted; reviewers: Wanted },
  ): Promise<Pick<Triaged, 'assignees' | 'reviewers'>> {
    const others = [...without(assignees, assigned), ...without(reviewers, reviewing)];
    const accesses =
      others.length === 0
        ? new Map<number, never>()
        : await this.access.findReaders(project, others);
    const able = (ability: Ability, ids: readonly number[]): number[] =>
      ids.filter((id) => {
        const access = accesses.get(id);
        return access !== undefined && allows(access, ability);
      });
    const assignable = able('project:read', without(assignees, assigned));
    const reviewable = able('merge-request:read-any', without(reviewers, reviewing));
    const held = await this.users.holdAll([...assignable, ...reviewable]);
    const lists = [
      ['assignees', assignees, assigned, assignable],
      ['reviewers', reviewers, reviewing, reviewable],
    ] as const;
    const found: Pick<Triaged, 'assignees' | 'reviewers'> = {};
    for (const [name, wanted, before, permitted] of lists) {
      if (wanted === undefined) continue;
      const added = permitted.flatMap((id) => held.get(id) ?? []);
      const addedIds = new Set(added.map(({ id }) => id));
      const ids = wanted.filter((id) => addedIds.has(id) || before.includes(id));
      if (isSameList(ids, before)) continue;
      const isNamed = name === 'reviewers' || !isOneAtMost(before, ids);
      const removed = isNamed ? await this.findUsers(without(before, ids)) : [];
      found[name] = { ids, added, removed };
    }
    return found;
  }

  /** Without deleted accounts. */
  private async findUsers(ids: readonly number[]): Promise<SummarizedUser[]> {
    const found = await this.users.findAuthors(ids);
    return ids.flatMap((id) => found.get(id) ?? []).filter(({ ghost }) => !ghost);
  }

  private async milestone({ id }: ProjectRef, wanted: number | null): Promise<Milestone | null> {
    return wanted === null ? null : this.milestones.hold(id, wanted);
  }
}

type Wanted = readonly number[] | undefined;

/** Returns the assignees that the input asks for; undefined if they stay as they are. */
export function wantedAssignees(
  before: Pick<TriagedRow, 'assigneeIds'>,
  { assigneeIds, firstAssigneeId }: Pick<TriageInput, 'assigneeIds' | 'firstAssigneeId'>,
): Wanted {
  if (assigneeIds !== undefined) return [...new Set(assigneeIds)];
  if (firstAssigneeId === undefined || firstAssigneeId === before.assigneeIds[0]) return undefined;
  return firstAssigneeId === null ? [] : [firstAssigneeId];
}

/** Whether there was one assignee at most, and is one at most: notes of such changes do not name who is removed. */
const isOneAtMost = (before: readonly number[], after: readonly number[]): boolean =>
  before.length <= 1 && after.length <= 1;

const without = (ids: Wanted = [], others: readonly number[]): number[] =>
  ids.filter((id) => !others.includes(id));

const isSameList = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((id, index) => id === other[index]);

// Texts of system notes (docs/reference/notes.md#system-notes).

/** Lists the actions of an update: the change of state, then an update if anything else was sent, changed or not. */
export function actionsOf<StateEvent extends string>(
  { before, after }: { before: { state: string }; after: { state: string } },
  { stateEvent, ...others }: { stateEvent?: StateEvent | undefined },
): (StateEvent | 'update')[] {
  const hasOthers = Object.values<unknown>(others).some((value) => value !== undefined);
  return [
    ...(before.state === after.state ? [] : [stateEvent ?? ('update' as const)]),
    ...(hasOthers ? (['update'] as const) : []),
  ];
}

export const titleText = (before: string, after: string): string =>
  `changed title from **${before}** to **${after}**`;

/** Returns one text for all assignees, none if only their order changes. */
export function assigneeTexts(
  before: readonly number[],
  change: ListedPeople | undefined,
): string[] {
  if (change === undefined) return [];
  const { ids } = change;
  if (ids.length === 0 && isOneAtMost(before, ids)) return ['removed assignee'];
  return changeOfPeople(['assigned to', 'unassigned'], change);
}

export const reviewerTexts = (change: ListedPeople | undefined): string[] =>
  change === undefined
    ? []
    : changeOfPeople(['requested review from', 'removed review request for'], change);

function changeOfPeople(
  [adds, removes]: readonly [string, string],
  { added, removed }: ListedPeople,
): string[] {
  const parts = [
    ...(added.length === 0 ? [] : [`${adds} ${mentionsOf(added)}`]),
    ...(removed.length === 0 ? [] : [`${removes} ${mentionsOf(removed)}`]),
  ];
  return parts.length === 0 ? [] : [parts.join(' and ')];
}

const mentionsOf = (users: readonly SummarizedUser[]): string =>
  enumeration(users.map(({ username }) => `@${username}`));

/** The numbers of groups are others than those of their projects. */
export function milestoneText(milestone: TriageChange['milestone']): string {
  if (!milestone) return 'removed milestone';
  const { groupId, iid, title } = milestone;
  return `changed milestone to %${groupId === null ? String(iid) : `"${title}"`}`;
}

/** Returns the text for a discussion that is locked or unlocked; unlocking what was never locked has none. */
export function lockTexts(
  noun: string,
  { discussionLocked: before }: Pick<Issuable, 'discussionLocked'>,
  { discussionLocked: after }: Pick<Issuable, 'discussionLocked'>,
): string[] {
  if ((before ?? false) === (after ?? false)) return [];
  return [`${after === true ? 'locked' : 'unlocked'} this ${noun}`];
}

/** Returns one text for all labels: `added ~3 ~4 labels and removed ~5 label`. */
export function labelTexts({ added, removed }: LabelChange = { added: [], removed: [] }): string[] {
  const said = (verb: string, labels: LabelChange['added']): string[] => {
    if (labels.length === 0) return [];
    const names = labels.map(({ id }) => `~${String(id)}`).join(' ');
    return [`${verb} ${names} ${labels.length === 1 ? 'label' : 'labels'}`];
  };
  const texts = [...said('added', added), ...said('removed', removed)];
  return texts.length === 0 ? [] : [texts.join(' and ')];
}
