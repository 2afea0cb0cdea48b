import { GroupView } from '../../groups/index.js';
import { ProjectView } from '../project.view.js';

/** A group with the projects that the caller can see, newest first (open points 4.1). */
export class GroupDetailView extends GroupView {
  projects!: ProjectView[];
  /** Those of other namespaces that are shared with the group. */
  shared_projects!: ProjectView[];
}
