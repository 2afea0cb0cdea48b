export { V4CommitPresenter } from './commits/commit.presenter.js';
export { presentCommitPosition } from './commits/commit-discussion.view.js';
export { V4CommitView, V4PipelineView } from './commits/commit.view.js';
export { presentV4Diff, V4DiffView } from './diffs/diff.view.js';
export { V4LinePositionDto } from './line-position.dto.js';
export { V4PipelineDetailView, V4PipelinePresenter } from './pipelines/pipeline.view.js';
