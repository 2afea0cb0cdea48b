export { V4CommitPresenter } from './commits/commit.presenter.js';
export { V4CommitView } from './commits/commit.view.js';
export { presentV4Diff, V4DiffView } from './diffs/diff.view.js';
