import { Injectable } from '@nestjs/common';
import { UnitOfWork, violatedUnique } from '../../../platform/database/index.js';
import {
  assertValid,
  type FieldProblems,
  forbidden,
  invalidFields,
  notFound,
  recordNotFound,
} from '../../../platform/errors/index.js';
import type { SlotCaller } from '../../../platform/limits/index.js';
import type { Page, PageRequest } from '../../../platform/pagination/index.js';
import {
  allowsOnGroup,
  GroupAccessRepository,
  ProjectAccessRepository,
  type ProjectRef,
  WideLists,
} from '../../authorization/index.js';
import { type ActivityAction, ActivityLog } from '../../activity/index.js';
import {
  type EventTargetProvider,
  ProvidesEventTargets,
  type TargetSource,
} from '../../feeds/index.js';
import type { User } from '../../users/index.js';
import {
  type Changes,
  descriptionProblems,
  omitUndefined,
  plainName,
  titleProblems,
} from '../model/issuable.rules.js';
import type { Milestone, MilestoneState } from './milestone.entity.js';
import type { PlanningOwner, PlanningScope } from './planning-owner.js';
import {
  type MilestoneFilter,
  MilestonesRepository,
  type MilestoneValues,
} from './milestones.repository.js';

/** The target type of events on milestones. */
const MILESTONE = 'Milestone';

const TITLE_INDEXES: readonly string[] = ['milestones_title_key', 'milestones_group_title_key'];

/** The activities of milestones that change their state. */
const ACTIONS = { active: 'opened', closed: 'closed' } as const;

type Changeable = MilestoneValues & { state: MilestoneState };

/** Changes of a milestone. */
export type MilestoneChanges = Changes<Changeable>;

/** The user who changes milestones, and their project or group. */
interface MilestoneEditor {
  readonly owner: PlanningOwner;
  readonly userId: number;
}

/** Reads and changes the milestones of projects and groups, and describes them for feeds (docs/reference/milestones.md#endpoints). */
@Injectable()
@ProvidesEventTargets()
export class MilestonesService implements EventTargetProvider {
  readonly targetSources: readonly TargetSource[] = [
    { type: MILESTONE, shownAs: MILESTONE, load: (ids) => this.milestones.findByIds(ids) },
  ];

  constructor(
    private readonly work: UnitOfWork,
    private readonly projects: ProjectAccessRepository,
    private readonly groups: GroupAccessRepository,
    private readonly milestones: MilestonesRepository,
    private readonly log: ActivityLog,
    private readonly wide: WideLists,
  ) {}

  /**
   * Lists the milestones of a scope, the newest first.
   * @throws SlotsTakenError for a search
   */
  list(
    scope: PlanningScope,
    client: Partial<SlotCaller>,
    filter: MilestoneFilter,
    request: PageRequest,
  ): Promise<Page<Milestone>> {
    const list = () => this.milestones.list(scope, filter, request);
    return filter.search === undefined ? list() : this.wide.read(client, list);
  }

  /** @throws DomainError record not found */
  async read(owner: PlanningOwner, id: number): Promise<Milestone> {
    const milestone = await this.milestones.findIn(owner, id);
    if (milestone === null) throw recordNotFound('milestone');
    return milestone;
  }

  /** @throws DomainError invalid record, not found if the project or group was deleted */
  create(editor: MilestoneEditor, input: MilestoneValues): Promise<Milestone> {
    const { owner } = editor;
    const values = valid({ ...input, title: plainName(input.title) });
    return this.change(async () => {
      if ('projectId' in owner && !(await this.projects.hold(owner.projectId))) {
        throw notFound('project');
      }
      const made = await this.milestones.insert(owner, values);
      if (made === null) throw notFound('group');
      await this.record(editor, 'opened', made.id);
      return made;
    });
  }

  /** @throws DomainError invalid record, record not found */
  update(editor: MilestoneEditor, id: number, changes: MilestoneChanges): Promise<Milestone> {
    return this.change(async () => {
      const milestone = await this.milestones.lock(editor.owner, id);
      if (milestone === null) throw recordNotFound('milestone');
      const { description, dueDate, startDate } = {
        ...milestone,
        ...omitUndefined<Changeable>(changes),
      };
      const title = changes.title === undefined ? milestone.title : plainName(changes.title);
      const values = valid({ title, description, dueDate, startDate });
      const { state = milestone.state } = changes;
      const updated = await this.milestones.update(id, { ...values, state });
      if (state !== milestone.state) await this.record(editor, ACTIONS[state], id);
      return updated;
    });
  }

  /**
   * Deletes a milestone. Issues and merge requests lose it.
   * @returns the milestone as it was
   * @throws DomainError not found
   */
  remove(editor: MilestoneEditor, id: number): Promise<Milestone> {
    return this.work.run(async () => {
      const milestone = await this.read(editor.owner, id);
      if (!(await this.milestones.remove(id))) throw recordNotFound('milestone');
      await this.record(editor, 'destroyed', null);
      return milestone;
    });
  }

  /**
   * Makes a milestone of a project one of its group, in place of those of its title in the group's other projects.
   * @throws DomainError record not found; forbidden if the project is in no group, or the caller may not plan in it
   */
  async promote(
    caller: User,
    { id: projectId, namespaceId }: ProjectRef,
    id: number,
  ): Promise<Milestone> {
    const group = await this.groups.find(caller, { by: 'id', id: namespaceId });
    if (group === null || !allowsOnGroup(group, 'group-milestone:edit')) throw forbidden();
    await this.read({ projectId }, id);
    return this.change(async () => {
      const promoted = await this.milestones.promote(id, namespaceId);
      if (promoted === null) throw recordNotFound('milestone');
      return promoted;
    });
  }

  /** Runs a change in a unit of work. @throws DomainError invalid fields if the title is taken */
  private async change(work: () => Promise<Milestone>): Promise<Milestone> {
    try {
      return await this.work.run(work);
    } catch (error) {
      if (!TITLE_INDEXES.includes(violatedUnique(error) ?? '')) throw error;
      throw invalidFields({ title: [{ rule: 'taken' }] });
    }
  }

  /** Activity is that of projects. */
  private async record(
    { owner, userId: authorId }: MilestoneEditor,
    action: ActivityAction,
    id: number | null,
  ): Promise<void> {
    if (!('projectId' in owner)) return;
    const { projectId } = owner;
    await this.log.record([{ projectId, authorId, action, target: { type: MILESTONE, id } }]);
  }
}

function valid(values: MilestoneValues): MilestoneValues {
  assertValid(milestoneProblems(values));
  return values;
}

/** Lists the problems of a milestone by field (docs/reference/milestones.md#titles-and-dates). */
export function milestoneProblems({
  title,
  description,
  dueDate,
  startDate,
}: MilestoneValues): FieldProblems {
  // Days in ISO 8601 compare as texts do.
  const isInOrder = dueDate === null || startDate === null || startDate < dueDate;
  return {
    title: titleProblems(title),
    description: descriptionProblems(description),
    startDate: isInOrder ? [] : [{ rule: 'after-due-date' }],
  };
}
