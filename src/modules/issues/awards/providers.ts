import { IssueAwardsController } from './issue-awards.controller.js';
import { IssueAwards } from './issue-awards.js';
import { IssueNoteAwardsController } from './issue-note-awards.controller.js';

export const ISSUE_AWARD_CONTROLLERS = [IssueNoteAwardsController, IssueAwardsController];

export const ISSUE_AWARD_PROVIDERS = [IssueAwards];
