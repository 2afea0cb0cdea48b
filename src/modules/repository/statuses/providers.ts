import { CombinedStatuses } from './combined-statuses.js';
import { CommitStatusPresenter } from './commit-status.presenter.js';
import { CommitStatusesRepository } from './commit-statuses.repository.js';
import { ListStatuses } from './list-statuses.js';
import { Pipelines } from './pipelines.js';
import { PostStatus } from './post-status.js';
import { StatusChanges } from './status-changes.js';

/** What outside services say of commits. */
export const STATUS_PROVIDERS = [
  CombinedStatuses,
  CommitStatusPresenter,
  CommitStatusesRepository,
  ListStatuses,
  Pipelines,
  PostStatus,
  StatusChanges,
];
