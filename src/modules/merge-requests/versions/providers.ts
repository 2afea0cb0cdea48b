import { MergeRequestVersions } from './merge-request-versions.js';
import { RequestBranches } from './request-branches.js';
import { VersionsRepository } from './versions.repository.js';

export const VERSION_PROVIDERS = [MergeRequestVersions, RequestBranches, VersionsRepository];
