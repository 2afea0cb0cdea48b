import { Module } from '@nestjs/common';
import {
  issuableControllers,
  IssuablesModule,
  RequiresEnabledToWrite,
  v4IssuableControllers,
} from '../issuables/index.js';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
import { StorageModule } from '../storage/index.js';
import { CommitReferencesService } from './closing/commit-references.service.js';
import { PushedCommitsListener } from './closing/pushed-commits.listener.js';
import { IssuePresenter, IssueView } from './v3/issue.view.js';
import { IssueMovesController, IssuesController } from './v3/issues.controller.js';
import { IssueQuickActions } from './issue-quick-actions.js';
import { IssuesService } from './issues.service.js';
import { IssueListsController } from './v3/issue-lists.controller.js';
import { IssueLinksRepository } from './links/issue-links.repository.js';
import { IssueLinksService } from './links/issue-links.service.js';
import { V4IssueLinksController } from './v4/issue-links.controller.js';
import { IssueListsRepository } from './lists/issue-lists.repository.js';
import { IssueListsService } from './lists/issue-lists.service.js';
import { IssueKind } from './model/issue-kind.js';
import { IssuesRepository } from './model/issues.repository.js';
import { IssueCopier } from './moves/issue-copier.js';
import { IssueMovesService } from './moves/issue-moves.service.js';
import { issuesAnswers } from './v3/refusals.js';
import { V4IssueStatisticsController } from './v4/statistics.controller.js';
import { V4IssueListsController } from './v4/issue-lists.controller.js';
import { V4IssuePresenter, V4SingleIssueView } from './v4/issue.view.js';
import { V4IssuesController } from './v4/issues.controller.js';

@Module({
  imports: [IssuablesModule, ProjectsModule, RepositoryModule, StorageModule],
  controllers: [
    ...issuableControllers({
      type: 'Issue',
      path: 'projects/:id/issues/:issue_id',
      idParameter: 'issue_id',
      noun: 'issue',
      oneNoun: 'an issue',
      ability: 'issue:read',
      requiresEnabled: RequiresEnabledToWrite('Issue'),
      view: IssueView,
    }),
    ...v4IssuableControllers({
      type: 'Issue',
      path: 'projects/:id/issues/:issue_iid',
      iidParameter: 'issue_iid',
      noun: 'issue',
      oneNoun: 'an issue',
      ability: 'issue:read',
      readAbility: 'issue:browse',
      editAbility: 'issue:edit-any',
      requiresEnabled: RequiresEnabledToWrite('Issue'),
      view: V4SingleIssueView,
    }),
    IssueListsController,
    IssueMovesController,
    IssuesController,
    V4IssueLinksController,
    V4IssueListsController,
    V4IssueStatisticsController,
    V4IssuesController,
  ],
  providers: [
    issuesAnswers,
    CommitReferencesService,
    IssueCopier,
    IssueKind,
    IssueLinksRepository,
    IssueLinksService,
    IssueListsRepository,
    IssueListsService,
    IssueMovesService,
    IssuePresenter,
    IssueQuickActions,
    IssuesRepository,
    IssuesService,
    PushedCommitsListener,
    V4IssuePresenter,
  ],
  exports: [IssueListsService, IssuesService],
})
export class IssuesModule {}
