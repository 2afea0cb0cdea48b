import { V4GroupView } from '../../../groups/v4/index.js';
import { V4ProjectView } from '../project.view.js';

/** A group, with the projects that the caller may see unless `with_projects` is false. */
export class V4GroupDetailView extends V4GroupView {
  /** The newest. */
  projects?: V4ProjectView[];
  /** Projects of other namespaces that are shared with the group. */
  shared_projects?: V4ProjectView[];
}
