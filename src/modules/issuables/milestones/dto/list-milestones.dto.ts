import { EnumParam, IdListParam, PageQuery } from '../../../../platform/http/index.js';
import type { MilestoneFilter } from '../milestones.repository.js';

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
