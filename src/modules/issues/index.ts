export { IssueCount } from './issue-count.entity.js';
export { Issue } from './issue.entity.js';
export { type IssueAction, IssueChanged, type IssueField } from './issue.events.js';
export { IssuesModule } from './issues.module.js';
export { CloseIssue, type Closing } from './writes/close-issue.js';
