import type { VNode } from 'preact';
import { fullPathOf, type ProjectWithRelations } from '../../../projects/index.js';
import { Link } from '../../html/components.js';

interface ProjectListProps {
  readonly projects: readonly ProjectWithRelations[];
  /** Whether there are more of them. */
  readonly hasMore: boolean;
}

export function ProjectList({ projects, hasMore }: ProjectListProps): VNode {
  if (projects.length === 0) return <p class="muted">None.</p>;
  return (
    <>
      <ul class="plain rows">
        {projects.map((loaded) => (
          <li key={loaded.project.id}>
            <Link to={`/${fullPathOf(loaded)}`}>{fullPathOf(loaded)}</Link>{' '}
            <span class="badge">{loaded.project.visibility}</span>
            <div class="muted">{loaded.project.description}</div>
          </li>
        ))}
      </ul>
      {hasMore && <p class="muted">There are more; the API lists all of them.</p>}
    </>
  );
}
