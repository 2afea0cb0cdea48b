export { DiffView, presentDiff } from './diffs/diff.view.js';
