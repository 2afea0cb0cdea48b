import { GroupView } from '../../../groups/v3/index.js';
import { ProjectView } from '../project.view.js';

/**
 * A group with the projects that the caller may see, newest first
 * (docs/reference/groups.md#the-group-object).
 */
export class GroupDetailView extends GroupView {
  projects!: ProjectView[];
  /** Projects of other namespaces that are shared with the group. */
  shared_projects!: ProjectView[];
}
