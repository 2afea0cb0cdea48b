import { Injectable } from '@nestjs/common';
import type { ProjectRef } from '../../authorization/index.js';
import { type User, UsersRepository } from '../../users/index.js';
import type { IssuableType } from '../model/issuable.js';
import { titleProblems } from '../model/issuable.rules.js';
import type { QuickAction, QuickActionChanges, QuickActionName } from '../model/quick-actions.js';
import { MentionsRepository } from '../notes/mentions.repository.js';
import { labelNameOf } from '../planning/label.rules.js';
import { LabelsRepository } from '../planning/labels.repository.js';
import type { Milestone } from '../planning/milestone.entity.js';
import { MilestonesRepository } from '../planning/milestones.repository.js';
import {
  dayOf,
  labelNamesOf,
  MAX_NAMES,
  milestoneTitleOf,
  usernamesOf,
} from './quick-action-arguments.js';
import { Triage, type TriageInput } from './triage.js';

/** The fields of an issue or merge request that quick actions change, before they do. */
export interface ActionFields {
  readonly title: string;
  readonly state: 'open' | 'closed' | 'merged';
  readonly assigneeIds: readonly number[];
  readonly milestoneId: number | null;
  /** Of issues: a day, `YYYY-MM-DD`. */
  readonly dueDate?: string | null | undefined;
  /** Of issues. */
  readonly confidential?: boolean | undefined;
}

/** How titles say that a merge request is a draft. */
export interface DraftTitles {
  readonly isDraft: (title: string) => boolean;
  readonly withoutMarker: (title: string) => string;
}

/** What quick actions are planned for. */
export interface ActionCase {
  readonly type: IssuableType;
  readonly project: ProjectRef;
  readonly user: User;
  readonly fields: ActionFields;
  /** Loads the names of its labels. */
  readonly labels: () => Promise<readonly string[]>;
  /** Whether the user may change its title and state. */
  readonly mayEdit: boolean;
  /** Whether the user may change its labels, assignees, milestone and due date. */
  readonly mayTriage: boolean;
  /** Of merge requests. */
  readonly drafts?: DraftTitles | undefined;
}

/** The fields that quick actions set, as the input of an update. */
export interface PlannedFields extends TriageInput {
  readonly title?: string | undefined;
  readonly stateEvent?: 'close' | 'reopen' | undefined;
  readonly dueDate?: string | null | undefined;
  readonly confidential?: boolean | undefined;
}

/** What the quick actions of a text do. */
export interface ActionPlan {
  /** What they change by an update. */
  readonly fields: PlannedFields;
  readonly changes: QuickActionChanges;
  readonly summary: readonly string[];
  /** Those that change no field. */
  readonly others: readonly QuickAction[];
}

const NO_PLAN: ActionPlan = { fields: {}, changes: {}, summary: [], others: [] };

const LABEL_ACTIONS: ReadonlySet<QuickActionName> = new Set(['label', 'unlabel', 'relabel']);
const PEOPLE_ACTIONS: ReadonlySet<QuickActionName> = new Set(['assign', 'unassign']);

/** Finds out what the quick actions of a text do with an issue or merge request, as it is. Writes nothing. */
@Injectable()
export class QuickActionPlanner {
  constructor(
    private readonly users: UsersRepository,
    private readonly mentions: MentionsRepository,
    private readonly labels: LabelsRepository,
    private readonly milestones: MilestonesRepository,
    private readonly triage: Triage,
  ) {}

  async plan(actions: readonly QuickAction[], about: ActionCase): Promise<ActionPlan> {
    if (actions.length === 0) return NO_PLAN;
    const named = about.mayTriage ? await this.findNamed(actions, about) : NOTHING_NAMED;
    const draft = new PlanDraft(about, named);
    for (const action of actions) draft.add(action);
    return draft.finish();
  }

  /** Finds what the arguments name, with a constant number of statements. */
  private async findNamed(actions: readonly QuickAction[], about: ActionCase): Promise<Named> {
    const { project } = about;
    const namesIn = (
      kind: ReadonlySet<QuickActionName>,
      read: (argument: string) => string[],
    ): string[] => {
      const names = actions.flatMap(({ name, argument }) => (kind.has(name) ? read(argument) : []));
      return [...new Set(names)].slice(0, MAX_NAMES);
    };
    const changesLabels = actions.some(({ name }) => LABEL_ACTIONS.has(name));
    const wanted = namesIn(LABEL_ACTIONS, labelNamesOf);
    const found =
      wanted.length === 0 ? [] : await this.labels.resolve(project.id, wanted, { create: false });
    const title = milestoneTitleOf(
      actions.findLast(({ name }) => name === 'milestone')?.argument ?? '',
    );
    const scope = { projectId: project.id, groupId: project.namespaceId };
    return {
      labels: new Map(found.map(({ name, id }) => [name, id])),
      present: changesLabels ? await about.labels() : [],
      people: await this.findPeople(about, namesIn(PEOPLE_ACTIONS, usernamesOf)),
      milestone: title === '' ? null : await this.milestones.findByTitle(scope, title),
    };
  }

  /** Finds the users with these names who are assignees or may be. */
  private async findPeople(
    { project, user, fields }: ActionCase,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, User>> {
    if (names.length === 0) return new Map();
    const ids = await this.mentions.findUsers(names);
    const all = names.includes('me') ? [...ids, user.id] : ids;
    const others = all.filter((id) => !fields.assigneeIds.includes(id));
    const assignable = new Set(await this.triage.assignable(project, others));
    const permitted = all.filter((id) => assignable.has(id) || fields.assigneeIds.includes(id));
    const users = await this.users.findByIds(permitted);
    const byName = users.map((one) => [one.username.toLowerCase(), one] as const);
    const self = users.find(({ id }) => id === user.id);
    return new Map(self === undefined ? byName : [...byName, ['me', self]]);
  }
}

/** What the arguments of quick actions name. */
interface Named {
  /** The IDs of those that the project has, by name. */
  readonly labels: ReadonlyMap<string, number>;
  /** The names of the labels that are there. */
  readonly present: readonly string[];
  /** By username in lower case, and the user as `me`. */
  readonly people: ReadonlyMap<string, User>;
  /** Of the last action that names one. */
  readonly milestone: Milestone | null;
}

const NOTHING_NAMED: Named = {
  labels: new Map(),
  present: [],
  people: new Map(),
  milestone: null,
};

const NO_DRAFT_CHANGE = "No change to this merge request's draft status.";

/** Adds up what quick actions do, one after the other. */
class PlanDraft {
  private title: string;
  private state: ActionFields['state'];
  private assigneeIds: readonly number[];
  private milestoneId: number | null;
  private dueDate: string | null | undefined;
  private confidential: boolean | undefined;
  private labels: readonly string[];
  private labelChanges: Pick<QuickActionChanges, 'addedLabelIds' | 'removedLabelIds' | 'labelIds'> =
    {};
  private draftEvent: 'draft' | 'ready' | undefined;
  private readonly summary: string[] = [];
  private readonly others: QuickAction[] = [];

  constructor(
    private readonly about: ActionCase,
    private readonly named: Named,
  ) {
    const { title, state, assigneeIds, milestoneId, dueDate, confidential } = about.fields;
    this.title = title;
    this.state = state;
    this.assigneeIds = assigneeIds;
    this.milestoneId = milestoneId;
    this.dueDate = dueDate;
    this.confidential = confidential;
    this.labels = named.present;
  }

  add(action: QuickAction): void {
    const sentence = this.about.mayEdit ? this.edit(action) : undefined;
    const triaged = this.about.mayTriage ? this.classify(action) : undefined;
    const said = sentence ?? triaged;
    if (said !== undefined) this.summary.push(said);
    else if (!FIELD_ACTIONS.has(action.name)) this.others.push(action);
  }

  finish(): ActionPlan {
    const { fields: before } = this.about;
    const { title, state, assigneeIds, milestoneId, dueDate, confidential, labels } = this;
    const stateEvent: 'close' | 'reopen' = state === 'closed' ? 'close' : 'reopen';
    const set = {
      ...(title === before.title ? {} : { title }),
      ...(state === before.state ? {} : { stateEvent }),
      ...(assigneeIds === before.assigneeIds ? {} : { assigneeIds }),
      ...(milestoneId === before.milestoneId ? {} : { milestoneId }),
      ...(dueDate === before.dueDate ? {} : { dueDate: dueDate ?? null }),
      ...(confidential === before.confidential ? {} : { confidential: confidential === true }),
    };
    const fields: PlannedFields = {
      ...set,
      // Instead of what the request asks for beside the text.
      ...(set.assigneeIds && { firstAssigneeId: undefined }),
      ...(labels !== this.named.present && {
        labels,
        addLabels: undefined,
        removeLabels: undefined,
      }),
    };
    const { draftEvent } = this;
    const changes = { ...set, ...this.labelChanges, ...(draftEvent && { draftEvent }) };
    return { fields, changes, summary: this.summary, others: this.others };
  }

  /** Applies an action for users who may edit. @returns what it does; undefined if that is nothing */
  private edit({ name, argument }: QuickAction): string | undefined {
    switch (name) {
      case 'close':
        return this.changeState('open', 'closed', `Closed this ${this.noun}.`);
      case 'reopen':
        return this.changeState('closed', 'open', `Reopened this ${this.noun}.`);
      case 'title':
        return this.retitle(argument, `Changed the title to "${argument}".`);
      case 'confidential':
        if (this.confidential !== false) return undefined;
        this.confidential = true;
        return 'Made this issue confidential.';
      case 'draft':
        return this.draft('Draft: ');
      case 'ready':
        return this.ready();
      case 'wip':
        return this.about.drafts?.isDraft(this.title) === true ? this.ready() : this.draft('WIP: ');
      default:
        return undefined;
    }
  }

  /** The same for users who may change labels, assignees, milestone and due date. */
  private classify({ name, argument }: QuickAction): string | undefined {
    switch (name) {
      case 'label':
      case 'unlabel':
      case 'relabel':
        return this.relabel(name, argument);
      case 'assign':
        return this.assign(this.peopleIn(argument));
      case 'unassign':
        return this.unassign(argument);
      case 'milestone':
        return this.setMilestone(argument);
      case 'remove_milestone':
        if (this.milestoneId === null) return undefined;
        this.milestoneId = null;
        return 'Removed the milestone.';
      case 'due':
      case 'remove_due_date':
        return this.setDueDate(name, argument);
      default:
        return undefined;
    }
  }

  private changeState(
    from: ActionFields['state'],
    to: ActionFields['state'],
    sentence: string,
  ): string | undefined {
    if (this.state !== from) return undefined;
    this.state = to;
    return sentence;
  }

  private retitle(title: string, sentence: string): string | undefined {
    if (titleProblems(title).length > 0) return undefined;
    this.title = title;
    return sentence;
  }

  private draft(marker: string): string | undefined {
    const { drafts } = this.about;
    if (drafts === undefined) return undefined;
    if (drafts.isDraft(this.title)) return NO_DRAFT_CHANGE;
    return this.setDraft(`${marker}${this.title}`, 'draft');
  }

  private ready(): string | undefined {
    const { drafts } = this.about;
    if (drafts === undefined) return undefined;
    if (!drafts.isDraft(this.title)) return NO_DRAFT_CHANGE;
    return this.setDraft(drafts.withoutMarker(this.title), 'ready');
  }

  private setDraft(title: string, event: 'draft' | 'ready'): string | undefined {
    const article = event === 'draft' ? 'a draft' : 'ready';
    const sentence = this.retitle(title, `Marked this merge request as ${article}.`);
    if (sentence !== undefined) this.draftEvent = event;
    return sentence;
  }

  private relabel(name: 'label' | 'unlabel' | 'relabel', argument: string): string | undefined {
    const { labels: present, labelChanges } = this;
    const known = [...new Set(labelNamesOf(argument).map(labelNameOf))].filter((one) =>
      this.named.labels.has(one),
    );
    if (name === 'relabel') {
      if (known.length === 0) return undefined;
      this.labels = known;
      this.labelChanges = { labelIds: this.idsOf(known) };
      return `Replaced all labels with ${labelsText(known)}.`;
    }
    if (name === 'label') {
      const added = known.filter((one) => !present.includes(one));
      if (added.length === 0) return undefined;
      this.labels = [...present, ...added];
      const addedLabelIds = [...(labelChanges.addedLabelIds ?? []), ...this.idsOf(added)];
      this.labelChanges = { ...labelChanges, addedLabelIds };
      return `Added ${labelsText(added)}.`;
    }
    const removed = argument === '' ? present : known.filter((one) => present.includes(one));
    if (removed.length === 0) return undefined;
    this.labels = present.filter((one) => !removed.includes(one));
    if (argument === '') {
      this.labelChanges = { labelIds: [] };
      return 'Removed all labels.';
    }
    const removedLabelIds = [...(labelChanges.removedLabelIds ?? []), ...this.idsOf(removed)];
    this.labelChanges = { ...labelChanges, removedLabelIds };
    return `Removed ${labelsText(removed)}.`;
  }

  private idsOf(names: readonly string[]): number[] {
    return names.flatMap((name) => this.named.labels.get(name) ?? []);
  }

  private assign(people: readonly User[]): string | undefined {
    const added = people.filter(({ id }) => !this.assigneeIds.includes(id));
    if (added.length === 0) return undefined;
    this.assigneeIds = [...this.assigneeIds, ...added.map(({ id }) => id)];
    return `Assigned ${mentionsOf(added)}.`;
  }

  private unassign(argument: string): string | undefined {
    const people = this.peopleIn(argument).filter(({ id }) => this.assigneeIds.includes(id));
    const removed = argument === '' ? this.assigneeIds : people.map(({ id }) => id);
    if (removed.length === 0) return undefined;
    this.assigneeIds = this.assigneeIds.filter((id) => !removed.includes(id));
    return argument === '' ? 'Removed all assignees.' : `Removed assignee ${mentionsOf(people)}.`;
  }

  private peopleIn(argument: string): User[] {
    const found = usernamesOf(argument).flatMap((name) => this.named.people.get(name) ?? []);
    return [...new Set(found)];
  }

  private setMilestone(argument: string): string | undefined {
    const { milestone } = this.named;
    if (milestone === null || milestone.id === this.milestoneId) return undefined;
    // Of several only the last one counts.
    if (milestone.title !== milestoneTitleOf(argument)) return undefined;
    this.milestoneId = milestone.id;
    return `Set the milestone to %"${milestone.title}".`;
  }

  private setDueDate(name: 'due' | 'remove_due_date', argument: string): string | undefined {
    const day = name === 'due' ? dayOf(argument, new Date()) : null;
    const isUnknown = this.dueDate === undefined || (name === 'due' && day === null);
    if (isUnknown || day === this.dueDate) return undefined;
    this.dueDate = day;
    return day === null ? 'Removed the due date.' : `Set the due date to ${day}.`;
  }

  private get noun(): string {
    return this.about.type === 'Issue' ? 'issue' : 'merge request';
  }
}

/** The actions that `PlanDraft` plans. */
const FIELD_ACTIONS: ReadonlySet<QuickActionName> = new Set<QuickActionName>([
  ...(['assign', 'close', 'confidential', 'draft', 'due', 'label', 'milestone', 'ready'] as const),
  ...(['relabel', 'remove_due_date', 'remove_milestone', 'reopen', 'title'] as const),
  ...(['unassign', 'unlabel', 'wip'] as const),
]);

const labelsText = (names: readonly string[]): string =>
  `${names.map((name) => `~"${name}"`).join(' ')} ${names.length === 1 ? 'label' : 'labels'}`;

const mentionsOf = (users: readonly User[]): string =>
  users.map(({ username }) => `@${username}`).join(' ');
