import type { VNode } from 'preact';
import type { ProjectView } from '../../../projects/index.js';
import { Link } from '../../html/components.js';
import { visibilityName } from './visibility.js';

interface ProjectListProps {
  readonly projects: readonly ProjectView[];
  /** Whether there are more of them. */
  readonly hasMore: boolean;
}

export function ProjectList({ projects, hasMore }: ProjectListProps): VNode {
  if (projects.length === 0) return <p class="muted">None.</p>;
  return (
    <>
      <ul class="plain rows">
        {projects.map((project) => (
          <li key={project.id}>
            <Link to={`/${project.path_with_namespace}`}>{project.path_with_namespace}</Link>{' '}
            <span class="badge">{visibilityName(project.visibility_level)}</span>
            <div class="muted">{project.description}</div>
          </li>
        ))}
      </ul>
      {hasMore && <p class="muted">There are more; the API lists all of them.</p>}
    </>
  );
}
