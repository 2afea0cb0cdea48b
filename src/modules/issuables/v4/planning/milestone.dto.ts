import {
  AtLeastOneOf,
  BooleanParam,
  DateParam,
  EnumParam,
  IdListParam,
  PageQuery,
  StringParam,
} from '../../../../platform/http/index.js';
import type { MilestoneState } from '../../planning/milestone.entity.js';
import type { MilestoneFilter, MilestoneValues } from '../../planning/milestones.repository.js';
import type { MilestoneChanges } from '../../planning/milestones.service.js';

/** `GET …/milestones`. */
export class V4ListMilestonesDto extends PageQuery {
  @IdListParam({ description: 'Numbers within the project or group.' })
  iids?: number[];

  @EnumParam(['active', 'closed', 'all'], { default: 'all' })
  state: 'active' | 'closed' | 'all' = 'all';

  @StringParam({ blank: 'absent', description: 'The whole title.' })
  title?: string;

  @StringParam({ blank: 'absent', description: 'A part of title or description.' })
  search?: string;

  @BooleanParam({
    description: "Whether those of a project's group are listed, too; groups have no parents.",
  })
  include_ancestors?: boolean;

  @BooleanParam({ description: 'The former name of `include_ancestors`.' })
  include_parent_milestones?: boolean;
}

/** Whether a project's list has the milestones of its group. */
export const hasAncestors = (query: V4ListMilestonesDto): boolean =>
  query.include_ancestors ?? query.include_parent_milestones ?? false;

export const toMilestoneFilter = (query: V4ListMilestonesDto): MilestoneFilter => ({
  state: query.state === 'all' ? undefined : query.state,
  iids: query.iids,
  title: query.title,
  search: query.search,
});

/** `POST …/milestones`. */
export class V4CreateMilestoneDto {
  @StringParam({ required: true, description: 'Up to 255 characters, unlike any other here.' })
  title!: string;

  @StringParam({ nullable: true })
  description?: string | null;

  @DateParam()
  due_date?: string | null;

  @DateParam({ description: 'Before `due_date`.' })
  start_date?: string | null;
}

/** `PUT …/milestones/:milestone_id`. */
@AtLeastOneOf()
export class V4UpdateMilestoneDto {
  @StringParam({ description: 'Up to 255 characters, unlike any other here.' })
  title?: string;

  @StringParam({ nullable: true })
  description?: string | null;

  @DateParam()
  due_date?: string | null;

  @DateParam({ description: 'Before `due_date`.' })
  start_date?: string | null;

  @EnumParam(['close', 'activate'])
  state_event?: 'close' | 'activate';
}

const STATES: Readonly<Record<'close' | 'activate', MilestoneState>> = {
  close: 'closed',
  activate: 'active',
};

export const toMilestoneChanges = (body: V4UpdateMilestoneDto): MilestoneChanges => ({
  title: body.title,
  description: body.description,
  dueDate: body.due_date,
  startDate: body.start_date,
  state: body.state_event && STATES[body.state_event],
});

export const toMilestoneValues = ({
  title,
  description = null,
  due_date: dueDate = null,
  start_date: startDate = null,
}: V4CreateMilestoneDto): MilestoneValues => ({ title, description, dueDate, startDate });
