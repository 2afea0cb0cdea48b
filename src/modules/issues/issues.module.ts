import { Module } from '@nestjs/common';
import { IssuablesModule } from '../issuables/index.js';
import { ProjectsModule } from '../projects/index.js';
import { RepositoryModule } from '../repository/index.js';
import { ISSUE_AWARD_CONTROLLERS, ISSUE_AWARD_PROVIDERS } from './awards/providers.js';
import { CLOSING_PROVIDERS } from './closing/providers.js';
import { IssueTargets } from './feeds/issue-targets.js';
import { MOVE_CONTROLLERS, MOVE_PROVIDERS } from './moves/providers.js';
import { ISSUE_NOTE_CONTROLLERS, ISSUE_NOTE_PROVIDERS } from './notes/providers.js';
import { ISSUE_CONTROLLERS, ISSUE_PROVIDERS } from './providers.js';
import { CloseIssue } from './writes/close-issue.js';

@Module({
  imports: [IssuablesModule, ProjectsModule, RepositoryModule],
  controllers: [
    ...ISSUE_AWARD_CONTROLLERS,
    ...ISSUE_CONTROLLERS,
    ...MOVE_CONTROLLERS,
    ...ISSUE_NOTE_CONTROLLERS,
  ],
  providers: [
    ...CLOSING_PROVIDERS,
    ...ISSUE_AWARD_PROVIDERS,
    ...ISSUE_NOTE_PROVIDERS,
    ...ISSUE_PROVIDERS,
    ...MOVE_PROVIDERS,
    IssueTargets,
  ],
  exports: [CloseIssue],
})
export class IssuesModule {}
