import type { TriageInput } from '../../issuables/index.js';
import type { StateEvent } from './state-changes.js';

/** What is said of a merge request; absent is left as it is, null clears. */
export interface UpdateMergeRequestInput extends TriageInput {
  title?: string | undefined;
  description?: string | null | undefined;
  targetBranch?: string | undefined;
  forceRemoveSourceBranch?: boolean | undefined;
  stateEvent?: StateEvent | undefined;
}
