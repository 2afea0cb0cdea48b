export { type ClosingCreditSource, ProvidesClosingCredits } from './closing/closing-credits.js';
export { IssueCount } from './issue-count.entity.js';
export { Issue } from './issue.entity.js';
export { type IssueAction, IssueChanged, type IssueField } from './issue.events.js';
export { mayEdit } from './issue.policy.js';
export { IssueView } from './issue.view.js';
export { IssuesModule } from './issues.module.js';
export { CloseIssue, type Closing } from './writes/close-issue.js';
