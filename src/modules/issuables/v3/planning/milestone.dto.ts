import {
  AtLeastOneOf,
  DateParam,
  EnumParam,
  IdListParam,
  PageQuery,
  StringParam,
} from '../../../../platform/http/index.js';
import type { MilestoneState } from '../../planning/milestone.entity.js';
import type { MilestoneFilter } from '../../planning/milestones.repository.js';
import type { MilestoneChanges } from '../../planning/milestones.service.js';

/** `GET /projects/:id/milestones`. */
export class ListMilestonesDto extends PageQuery {
  @EnumParam(['active', 'closed', 'all'], { default: 'all' })
  state: 'active' | 'closed' | 'all' = 'all';

  @IdListParam({ description: 'Numbers within the project.' })
  iid?: number[];
}

export function toMilestoneFilter({ state, iid }: ListMilestonesDto): MilestoneFilter {
  return { state: state === 'all' ? undefined : state, iids: iid };
}

/** `POST /projects/:id/milestones`. */
export class CreateMilestoneDto {
  @StringParam({ required: true, description: 'Up to 255 characters, unlike any other here.' })
  title!: string;

  @StringParam({ nullable: true })
  description?: string | null;

  @DateParam()
  due_date?: string | null;

  @DateParam({ description: 'Before `due_date`.' })
  start_date?: string | null;
}

/** `PUT /projects/:id/milestones/:milestone_id`. */
@AtLeastOneOf()
export class UpdateMilestoneDto {
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

export function toMilestoneChanges(body: UpdateMilestoneDto): MilestoneChanges {
  return {
    title: body.title,
    description: body.description,
    dueDate: body.due_date,
    startDate: body.start_date,
    state: body.state_event && STATES[body.state_event],
  };
}
