import { IssueCopies } from './issue-copies.js';
import { IssueMovesController } from './issue-moves.controller.js';
import { MoveChecks } from './move-checks.js';
import { MovedContents } from './moved-contents.js';
import { MovedNotes } from './moved-notes.js';
import { MovedTexts } from './moved-texts.js';
import { MoveIssue } from './move-issue.js';

export const MOVE_CONTROLLERS = [IssueMovesController];

/** Issues that go to other projects. */
export const MOVE_PROVIDERS = [
  IssueCopies,
  MoveChecks,
  MovedContents,
  MovedNotes,
  MovedTexts,
  MoveIssue,
];
