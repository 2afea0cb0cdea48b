import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/index.js';
import { EventTargets } from './event-targets.js';
import { FeedsRepository } from './feeds.repository.js';
import { FeedsService } from './feeds.service.js';
import { V4EventPresenter } from './v4/event.view.js';
import { V4EventsController } from './v4/events.controller.js';
import { EventPresenter } from './v3/event.view.js';
import { ProjectEventsController, UserEventsController } from './v3/events.controller.js';

@Module({
  imports: [ProjectsModule],
  controllers: [ProjectEventsController, UserEventsController, V4EventsController],
  providers: [EventPresenter, EventTargets, FeedsRepository, FeedsService, V4EventPresenter],
})
export class FeedsModule {}
