import { Injectable } from '@nestjs/common';
import { ProjectAccessRepository, type ProjectRef } from '../../authorization/index.js';
import { type User, UsersRepository } from '../../users/index.js';
import type { Label } from '../planning/label.entity.js';
import type { Issuable } from '../model/issuable.js';
import { labelNameOf } from '../planning/label.rules.js';
import { type LabelChange, LabelsRepository } from '../planning/labels.repository.js';
import type { Milestone } from '../planning/milestone.entity.js';
import { MilestonesRepository } from '../planning/milestones.repository.js';
import type { RelatedRow } from '../relations/issuable-relations.repository.js';

/** The assignee, milestone and labels of an issue or merge request. Null clears; absent values are kept. */
export interface TriageInput {
  assigneeId?: number | null | undefined;
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
  assignee?: User | null;
  milestone?: Milestone | null;
  /** By name. */
  labels?: Label[];
}

/** The new assignee, milestone and labels of an issue or merge request, where they have changed. */
export interface TriageChange {
  assignee?: Pick<User, 'username'> | null | undefined;
  milestone?: Pick<Milestone, 'iid'> | null | undefined;
  labels?: LabelChange | undefined;
}

/**
 * Finds the assignee, milestone and labels of issues and merge requests, and locks them against deletion until the
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

  /** Resolves the input. Invalid IDs become null; missing labels are created. */
  async resolve(project: ProjectRef, input: TriageInput): Promise<Triaged> {
    const { assigneeId, milestoneId, labels } = input;
    const found: Triaged = {};
    if (assigneeId !== undefined) found.assignee = await this.assignee(project, assigneeId);
    if (milestoneId !== undefined) found.milestone = await this.milestone(project, milestoneId);
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
    const present = await this.labels.labelsOf(target.type, [target.id]);
    const names = labels ?? present.get(target.id)?.map(({ name }) => name) ?? [];
    const removed = new Set(removeLabels.map(labelNameOf));
    const all = [...names, ...addLabels].filter((name) => !removed.has(labelNameOf(name)));
    return { ...rest, labels: all };
  }

  /** Finds a user who may read the project. */
  async assignee(project: ProjectRef, id: number | null): Promise<User | null> {
    if (id === null) return null;
    const [reader] = await this.access.findUsersWithAbility('project:read', project, [id]);
    return reader === undefined ? null : this.users.hold(reader);
  }

  private async milestone({ id }: ProjectRef, wanted: number | null): Promise<Milestone | null> {
    return wanted === null ? null : this.milestones.hold(id, wanted);
  }
}

/** Leaves out unchanged values, so that an assignee who lost access is kept until changed. */
export function changedTriage(
  before: Pick<RelatedRow, 'assigneeId' | 'milestoneId'>,
  { assigneeId, milestoneId, labels }: TriageInput,
): TriageInput {
  return {
    ...(assigneeId === before.assigneeId ? {} : { assigneeId }),
    ...(milestoneId === before.milestoneId ? {} : { milestoneId }),
    labels,
  };
}

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

export const assigneeText = (assignee: TriageChange['assignee']): string =>
  assignee ? `assigned to @${assignee.username}` : 'removed assignee';

export const milestoneText = (milestone: TriageChange['milestone']): string =>
  milestone ? `changed milestone to %${String(milestone.iid)}` : 'removed milestone';

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
