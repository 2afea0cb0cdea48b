export { IssueCount } from './issue-count.entity.js';
export { Issue } from './issue.entity.js';
export { IssuesModule } from './issues.module.js';
