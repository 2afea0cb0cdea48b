import { Injectable } from '@nestjs/common';
import { type EventTargetProvider, ProvidesEventTargets } from '../../projects/index.js';
import { MilestonesRepository } from './milestones.repository.js';

/** What events on milestones are recorded with as the type of their target. */
export const MILESTONE = 'Milestone';

/** Describes milestones for the feeds. */
@Injectable()
@ProvidesEventTargets()
export class MilestoneTargets implements EventTargetProvider {
  readonly targetSources;

  constructor(milestones: MilestonesRepository) {
    const load = (ids: readonly number[]) => milestones.findByIds(ids);
    this.targetSources = [{ type: MILESTONE, shownAs: MILESTONE, load }];
  }
}
