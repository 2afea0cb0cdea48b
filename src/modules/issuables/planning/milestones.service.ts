import { Injectable } from '@nestjs/common';
import { UnitOfWork, violatedUnique } from '../../../platform/database/index.js';
import {
  assertValid,
  type FieldProblems,
  invalidFields,
  notFound,
  recordNotFound,
} from '../../../platform/errors/index.js';
import type { Page, PageRequest } from '../../../platform/pagination/index.js';
import { ProjectAccessRepository, type ProjectRef, WideLists } from '../../authorization/index.js';
import { type ActivityAction, ActivityLog } from '../../activity/index.js';
import {
  type EventTargetProvider,
  ProvidesEventTargets,
  type TargetSource,
} from '../../feeds/index.js';
import {
  type Changes,
  descriptionProblems,
  omitUndefined,
  plainName,
  titleProblems,
} from '../model/issuable.rules.js';
import type { Milestone, MilestoneState } from './milestone.entity.js';
import {
  type MilestoneFilter,
  MilestonesRepository,
  type MilestoneValues,
} from './milestones.repository.js';

/** The target type of events on milestones. */
const MILESTONE = 'Milestone';

const TITLE_INDEX = 'milestones_title_key';

/** The activities of milestones that change their state. */
const ACTIONS = { active: 'opened', closed: 'closed' } as const;

type Changeable = MilestoneValues & { state: MilestoneState };

/** Changes of a milestone. */
export type MilestoneChanges = Changes<Changeable>;

/** The user who changes milestones, and their project. */
interface MilestoneEditor {
  projectId: number;
  userId: number;
}

/** Reads and changes the milestones of projects, and describes them for feeds (docs/reference/milestones.md#endpoints). */
@Injectable()
@ProvidesEventTargets()
export class MilestonesService implements EventTargetProvider {
  readonly targetSources: readonly TargetSource[] = [
    { type: MILESTONE, shownAs: MILESTONE, load: (ids) => this.milestones.findByIds(ids) },
  ];

  constructor(
    private readonly work: UnitOfWork,
    private readonly projects: ProjectAccessRepository,
    private readonly milestones: MilestonesRepository,
    private readonly log: ActivityLog,
    private readonly wide: WideLists,
  ) {}

  /**
   * Lists the milestones of a project, the newest first.
   * @throws SlotsTakenError for a search
   */
  list(
    { id, client }: Pick<ProjectRef, 'id' | 'client'>,
    filter: MilestoneFilter,
    request: PageRequest,
  ): Promise<Page<Milestone>> {
    const list = () => this.milestones.ofProject(id, filter, request);
    return filter.search === undefined ? list() : this.wide.read(client ?? {}, list);
  }

  /** @throws DomainError record not found */
  async read(projectId: number, id: number): Promise<Milestone> {
    const milestone = await this.milestones.findIn(projectId, id);
    if (milestone === null) throw recordNotFound('milestone');
    return milestone;
  }

  /** @throws DomainError invalid record, not found if the project was deleted */
  create(editor: MilestoneEditor, input: MilestoneValues): Promise<Milestone> {
    const { projectId } = editor;
    const values = valid({ ...input, title: plainName(input.title) });
    return this.change(async () => {
      if (!(await this.projects.hold(projectId))) throw notFound('project');
      const made = await this.milestones.insert(projectId, values);
      await this.record(editor, 'opened', made.id);
      return made;
    });
  }

  /** @throws DomainError invalid record, record not found */
  update(editor: MilestoneEditor, id: number, changes: MilestoneChanges): Promise<Milestone> {
    return this.change(async () => {
      const milestone = await this.milestones.lock(editor.projectId, id);
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
      const milestone = await this.read(editor.projectId, id);
      if (!(await this.milestones.remove(id))) throw recordNotFound('milestone');
      await this.record(editor, 'destroyed', null);
      return milestone;
    });
  }

  /** Runs a change in a unit of work. @throws DomainError invalid fields if the title is taken */
  private async change(work: () => Promise<Milestone>): Promise<Milestone> {
    try {
      return await this.work.run(work);
    } catch (error) {
      if (violatedUnique(error) !== TITLE_INDEX) throw error;
      throw invalidFields({ title: [{ rule: 'taken' }] });
    }
  }

  private record(
    { projectId, userId: authorId }: MilestoneEditor,
    action: ActivityAction,
    id: number | null,
  ): Promise<void> {
    return this.log.record([{ projectId, authorId, action, target: { type: MILESTONE, id } }]);
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
