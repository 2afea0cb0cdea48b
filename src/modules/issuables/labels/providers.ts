import { LabelCounts } from './label-counts.js';
import { LabelDetails } from './label-details.js';
import { LabelLinks } from './label-links.js';
import { LabelSubscriptionsController } from './label-subscriptions.controller.js';
import { LabelSubscriptions } from './label-subscriptions.js';
import { LabelPresenter } from './label.presenter.js';
import { LabelsController } from './labels.controller.js';
import { LabelsRepository } from './labels.repository.js';
import { LabelsService } from './labels.service.js';

export const LABEL_CONTROLLERS = [LabelSubscriptionsController, LabelsController];

/** Labels. */
export const LABEL_PROVIDERS = [
  LabelCounts,
  LabelDetails,
  LabelLinks,
  LabelPresenter,
  LabelSubscriptions,
  LabelsRepository,
  LabelsService,
];
