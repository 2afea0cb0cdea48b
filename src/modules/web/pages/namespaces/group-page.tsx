import type { VNode } from 'preact';
import type { Namespace } from '../../../groups/index.js';
import type { ProjectWithRelations } from '../../../projects/index.js';
import { ApiCall } from '../../html/components.js';
import type { WebPage } from '../../html/page-sender.js';
import { ProjectList } from '../parts/project-list.js';

interface GroupPage {
  readonly group: Namespace;
  /** Those that the reader may see. */
  readonly projects: readonly ProjectWithRelations[];
  /** Whether there are more than `projects`. */
  readonly hasMore: boolean;
}

export const groupPage = (props: GroupPage): WebPage => ({
  title: props.group.name,
  content: <Group {...props} />,
});

function Group({ group, projects, hasMore }: GroupPage): VNode {
  return (
    <>
      <p class="path">{group.path}</p>
      <h1>{group.name}</h1>
      <p>
        <span class="badge">{group.visibility}</span>
      </p>
      {group.description !== '' && <div class="text">{group.description}</div>}
      <h2>Projects</h2>
      <ProjectList projects={projects} hasMore={hasMore} />
      <ApiCall path={`/groups/${group.id}/projects`} />
    </>
  );
}
