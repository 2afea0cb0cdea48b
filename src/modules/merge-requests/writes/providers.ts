import { BranchChanges } from './branch-changes.js';
import { BranchChecks } from './branch-checks.js';
import { ChangeUnits } from './change-units.js';
import { CreateMergeRequest } from './create-merge-request.js';
import { DeleteMergeRequest } from './delete-merge-request.js';
import { MakeMergeRequest } from './make-merge-request.js';
import { MergeRequestChanges } from './merge-request-changes.js';
import { MergeRequestOutcome } from './merge-request-outcome.js';
import { PrepareChange } from './prepare-change.js';
import { UpdateMergeRequest } from './update-merge-request.js';

/** Making, changing and deleting merge requests. */
export const WRITE_PROVIDERS = [
  BranchChanges,
  BranchChecks,
  ChangeUnits,
  CreateMergeRequest,
  DeleteMergeRequest,
  MakeMergeRequest,
  MergeRequestChanges,
  MergeRequestOutcome,
  PrepareChange,
  UpdateMergeRequest,
];
