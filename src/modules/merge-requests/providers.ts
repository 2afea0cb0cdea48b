import { MergeRequestListsService } from './lists/merge-request-lists.service.js';
import { MergeRequestAnswers } from './merge-request-answers.js';
import { MergeRequestFinder } from './merge-request-finder.js';
import { MergeRequestKind } from './merge-request-kind.js';
import { MergeRequestParts } from './merge-request-parts.js';
import { MergeRequestPresenter } from './merge-request.presenter.js';
import { MergeRequestsController } from './merge-requests.controller.js';
import { MergeRequestsRepository } from './merge-requests.repository.js';

export const MERGE_REQUEST_CONTROLLERS = [MergeRequestsController];

/** Merge requests themselves. */
export const MERGE_REQUEST_PROVIDERS = [
  MergeRequestAnswers,
  MergeRequestFinder,
  MergeRequestKind,
  MergeRequestListsService,
  MergeRequestParts,
  MergeRequestPresenter,
  MergeRequestsRepository,
];
