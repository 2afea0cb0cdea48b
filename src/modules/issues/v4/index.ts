export { V4IssueView } from './issue.view.js';
