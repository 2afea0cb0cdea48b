import { EventTargets } from './event-targets.js';
import { EventPresenter } from './event.presenter.js';
import { FeedsRepository } from './feeds.repository.js';
import { FeedsService } from './feeds.service.js';
import { ProjectEventsController } from './project-events.controller.js';
import { UserEventsController } from './user-events.controller.js';

export const FEED_CONTROLLERS = [ProjectEventsController, UserEventsController];

/** What happened, as readers get it. */
export const FEED_PROVIDERS = [EventPresenter, EventTargets, FeedsRepository, FeedsService];
