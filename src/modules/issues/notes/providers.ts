import { IssueNotesController } from './issue-notes.controller.js';
import { IssueNotes } from './issue-notes.js';

export const ISSUE_NOTE_CONTROLLERS = [IssueNotesController];

export const ISSUE_NOTE_PROVIDERS = [IssueNotes];
