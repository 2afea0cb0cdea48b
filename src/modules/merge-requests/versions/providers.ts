import { ContentsController } from './contents.controller.js';
import { MergeRequestVersions } from './merge-request-versions.js';
import { RequestBranches } from './request-branches.js';
import { VersionContents } from './version-contents.js';
import { VersionsController } from './versions.controller.js';
import { VersionsRepository } from './versions.repository.js';
import { VersionsService } from './versions.service.js';

export const VERSION_CONTROLLERS = [ContentsController, VersionsController];

/** What merge requests consist of, time after time. */
export const VERSION_PROVIDERS = [
  MergeRequestVersions,
  RequestBranches,
  VersionContents,
  VersionsRepository,
  VersionsService,
];
