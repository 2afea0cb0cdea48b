import { MergeRequestListsService } from './lists/merge-request-lists.service.js';
import { MergeRequestTargets } from './feeds/merge-request-targets.js';
import { MergeRequestAnswers } from './merge-request-answers.js';
import { MergeRequestErasure } from './merge-request-erasure.js';
import { MergeRequestFinder } from './merge-request-finder.js';
import { MergeRequestKind } from './merge-request-kind.js';
import { MergeRequestRelations } from './merge-request-relations.js';
import { MergeRequestPresenter } from './merge-request.presenter.js';
import { MergeRequestsController } from './merge-requests.controller.js';
import { MergeRequestsRepository } from './merge-requests.repository.js';
import { SourceBranchRights } from './source-branch-rights.js';

export const MERGE_REQUEST_CONTROLLERS = [MergeRequestsController];

/** Merge requests themselves. */
export const MERGE_REQUEST_PROVIDERS = [
  MergeRequestAnswers,
  MergeRequestErasure,
  MergeRequestFinder,
  MergeRequestKind,
  MergeRequestListsService,
  MergeRequestRelations,
  MergeRequestPresenter,
  MergeRequestTargets,
  MergeRequestsRepository,
  SourceBranchRights,
];
