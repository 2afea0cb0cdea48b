import { BranchWritesController } from '../branches/branch-writes.controller.js';
import { BranchWrites } from '../branches/branch-writes.service.js';
import { DeleteMergedBranches } from '../branches/delete-merged-branches.js';
import { MergedBranches } from '../branches/merged-branches.js';
import { FileWritesController } from '../files/file-writes.controller.js';
import { FileWrites } from '../files/file-writes.js';
import { BranchProtections } from '../protection/branch-protections.js';
import { ApiPush } from '../pushes/api-push.js';
import { ReleasesRepository } from '../tags/releases.repository.js';
import { ReleasesService } from '../tags/releases.service.js';
import { TagWritesController } from '../tags/tag-writes.controller.js';
import { TagWrites } from '../tags/tag-writes.js';
import { CherryPick } from './cherry-pick.js';
import { CommitFiles } from './commit-files.js';
import { CommitMaker } from './commit-maker.js';
import { CommitWritesController } from './commit-writes.controller.js';
import { PushRights } from './push-rights.js';

/** What changes repositories through the API. */
export const WRITE_CONTROLLERS = [
  BranchWritesController,
  CommitWritesController,
  FileWritesController,
  TagWritesController,
];

export const WRITE_PROVIDERS = [
  ApiPush,
  BranchProtections,
  BranchWrites,
  CherryPick,
  CommitFiles,
  CommitMaker,
  DeleteMergedBranches,
  FileWrites,
  MergedBranches,
  PushRights,
  ReleasesRepository,
  ReleasesService,
  TagWrites,
];
