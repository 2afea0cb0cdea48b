import { MergeRequestAwardsController } from './merge-request-awards.controller.js';
import { MergeRequestAwards } from './merge-request-awards.js';
import { MergeRequestNoteAwardsController } from './merge-request-note-awards.controller.js';

export const AWARD_CONTROLLERS = [MergeRequestNoteAwardsController, MergeRequestAwardsController];

export const AWARD_PROVIDERS = [MergeRequestAwards];
