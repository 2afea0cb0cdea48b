import { Injectable } from '@nestjs/common';
import { EventTargets } from '../../projects/index.js';
import { MilestonesRepository } from './milestones.repository.js';

/** What events on milestones are recorded with as the type of their target. */
export const MILESTONE = 'Milestone';

/** Shows milestones in the feeds (open points 06). */
@Injectable()
export class MilestoneTargets {
  constructor(milestones: MilestonesRepository, targets: EventTargets) {
    targets.register({
      type: MILESTONE,
      shownAs: MILESTONE,
      load: (ids) => milestones.findByIds(ids),
    });
  }
}
