export { type ClosingCreditSource, ProvidesClosingCredits } from './closing/closing-credits.js';
export { Issue, IssueCount } from './issue.entity.js';
export { type IssueAction, IssueChanged, type IssueField } from './issue.events.js';
export { mayEdit } from './issue.policy.js';
export { IssueView } from './issue.view.js';
export { IssuesModule } from './issues.module.js';
export { type Closing, IssuesService } from './issues.service.js';
