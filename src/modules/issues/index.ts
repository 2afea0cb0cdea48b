export {
  type ClosingCreditSource,
  ProvidesClosingCredits,
} from './closing/commit-references.service.js';
export { Issue, IssueCount } from './model/issue.entity.js';
export { IssueChanged } from './model/issue.events.js';
export { mayEdit } from './model/issue.policy.js';
export { IssuesRepository, type IssueWithRelations } from './model/issues.repository.js';
export { IssueLink } from './links/issue-link.entity.js';
export { IssueListsService } from './lists/issue-lists.service.js';
export { IssuesModule } from './issues.module.js';
export { type Closing, IssuesService } from './issues.service.js';
