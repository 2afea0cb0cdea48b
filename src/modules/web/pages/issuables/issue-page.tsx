import type { VNode } from 'preact';
import type { Page } from '../../../../platform/pagination/index.js';
import type { IssueWithRelations } from '../../../issues/index.js';
import { ApiCall, Time } from '../../html/components.js';
import type { WebPage as WebPage } from '../../html/page-sender.js';
import { Notes, type ShownNote } from '../parts/notes.js';
import { People, Person } from '../parts/people.js';
import { ProjectHeading } from '../parts/project-heading.js';
import { State } from '../parts/state.js';
import { Text } from '../parts/text.js';
import { Labels, MilestoneLink } from './issuable-fields.js';

interface IssuePage {
  readonly fullPath: string;
  readonly loaded: IssueWithRelations;
  readonly notes: Page<ShownNote>;
}

export const issuePage = (props: IssuePage): WebPage => ({
  title: `${props.loaded.issuable.title} (#${props.loaded.issuable.iid}) · ${props.fullPath}`,
  content: <Issue {...props} />,
});

function Issue({ fullPath, loaded, notes }: IssuePage): VNode {
  const { issuable: issue, author, assignees, labels, milestone } = loaded;
  const path = `/${fullPath}/issues/${issue.iid}`;
  return (
    <>
      <ProjectHeading fullPath={fullPath} name={`#${issue.iid}`} />
      <h1>{issue.title}</h1>
      <p>
        <State name={issue.state} /> {issue.confidential && <State name="confidential" />} by{' '}
        <Person user={author} />, <Time at={issue.createdAt} />
      </p>
      <Text text={issue.description} />
      <dl class="fields">
        <dt>{assignees.length > 1 ? 'Assignees' : 'Assignee'}</dt>
        <dd>
          <People users={assignees} />
        </dd>
        <dt>Labels</dt>
        <dd>
          <Labels labels={labels} />
        </dd>
        <dt>Milestone</dt>
        <dd>
          <MilestoneLink fullPath={fullPath} milestone={milestone} />
        </dd>
        <dt>Due</dt>
        <dd>{issue.dueDate ?? 'no date'}</dd>
        <dt>Changed</dt>
        <dd>
          <Time at={issue.updatedAt} />
        </dd>
      </dl>
      <Notes notes={notes} path={path} />
      <ApiCall path={`/projects/${issue.projectId}/issues/${issue.id}`} />
    </>
  );
}
