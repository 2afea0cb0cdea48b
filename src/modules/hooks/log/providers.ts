import { DeliveryLogRepository } from './delivery-log.repository.js';
import { DeliveryLogService } from './delivery-log.service.js';
import { DeliveryReplay } from './replay.js';
import { ReplayRepository } from './replay.repository.js';
import { ProjectDeliveriesController } from './project-deliveries.controller.js';
import { SystemDeliveriesController } from './system-deliveries.controller.js';

export const DELIVERY_LOG_CONTROLLERS = [ProjectDeliveriesController, SystemDeliveriesController];

/** What tells owners of hooks how deliveries went, and repeats them. */
export const DELIVERY_LOG_PROVIDERS = [
  DeliveryLogRepository,
  DeliveryLogService,
  DeliveryReplay,
  ReplayRepository,
];
