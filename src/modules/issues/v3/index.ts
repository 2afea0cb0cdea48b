export { IssueView } from './issue.view.js';
