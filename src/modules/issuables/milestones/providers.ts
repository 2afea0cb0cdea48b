import { MilestoneTargets } from './milestone-targets.js';
import { MilestonePresenter } from './milestone.presenter.js';
import { MilestonesController } from './milestones.controller.js';
import { MilestonesRepository } from './milestones.repository.js';
import { MilestonesService } from './milestones.service.js';

export const MILESTONE_CONTROLLERS = [MilestonesController];

/** Milestones. */
export const MILESTONE_PROVIDERS = [
  MilestonePresenter,
  MilestonesRepository,
  MilestonesService,
  MilestoneTargets,
];
