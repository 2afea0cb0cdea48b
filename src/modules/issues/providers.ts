import { IssueAnswers } from './issue-answers.js';
import { IssueAttentionController } from './issue-attention.controller.js';
import { IssueCounts } from './issue-counts.js';
import { IssueErasure } from './issue-erasure.js';
import { IssueFinder } from './issue-finder.js';
import { IssueKind } from './issue-kind.js';
import { IssueRelations } from './issue-relations.js';
import { IssuePresenter } from './issue.presenter.js';
import { IssuesController } from './issues.controller.js';
import { IssuesRepository } from './issues.repository.js';
import { IssueListsController } from './lists/issue-lists.controller.js';
import { IssueListsService } from './lists/issue-lists.service.js';
import { IssuePlaces } from './lists/issue-places.js';
import { ListNarrowing } from './lists/list-narrowing.js';
import { CloseIssue } from './writes/close-issue.js';
import { CreateFollowUp } from './writes/create-follow-up.js';
import { CreateIssue } from './writes/create-issue.js';
import { DeleteIssue } from './writes/delete-issue.js';
import { IssueChanges } from './writes/issue-changes.js';
import { IssueOutcome } from './writes/issue-outcome.js';
import { UpdateIssue } from './writes/update-issue.js';

export const ISSUE_CONTROLLERS = [IssueListsController, IssuesController, IssueAttentionController];

/** Issues themselves. */
export const ISSUE_PROVIDERS = [
  CloseIssue,
  CreateFollowUp,
  CreateIssue,
  DeleteIssue,
  IssueAnswers,
  IssueChanges,
  IssueCounts,
  IssueErasure,
  IssueFinder,
  IssueKind,
  IssueListsService,
  IssueOutcome,
  IssueRelations,
  IssuePlaces,
  IssuePresenter,
  IssuesRepository,
  ListNarrowing,
  UpdateIssue,
];
