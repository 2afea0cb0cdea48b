import { MergeRequestsRepository } from './merge-requests.repository.js';

/** Merge requests themselves. */
export const MERGE_REQUEST_PROVIDERS = [MergeRequestsRepository];
