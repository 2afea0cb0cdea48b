import type { VNode } from 'preact';
import type { Page } from '../../../../platform/pages/index.js';
import type { IssueView } from '../../../issues/index.js';
import { ApiCall, Time } from '../../html/components.js';
import type { Page as WebPage } from '../../html/page-sender.js';
import { Notes, type ShownNote } from '../parts/notes.js';
import { Person } from '../parts/people.js';
import { ProjectHeading } from '../parts/project-heading.js';
import { State } from '../parts/state.js';
import { Text } from '../parts/text.js';
import { Labels, MilestoneLink } from './issuable-fields.js';

interface IssuePage {
  readonly fullPath: string;
  readonly issue: IssueView;
  readonly notes: Page<ShownNote>;
}

export const issuePage = (props: IssuePage): WebPage => ({
  title: `${props.issue.title} (#${props.issue.iid}) · ${props.fullPath}`,
  content: <Issue {...props} />,
});

function Issue({ fullPath, issue, notes }: IssuePage): VNode {
  const path = `/${fullPath}/issues/${issue.iid}`;
  return (
    <>
      <ProjectHeading fullPath={fullPath} name={`#${issue.iid}`} />
      <h1>{issue.title}</h1>
      <p>
        <State name={issue.state} /> {issue.confidential && <State name="confidential" />} by{' '}
        <Person user={issue.author} />, <Time at={issue.created_at} />
      </p>
      <Text text={issue.description} />
      <dl class="fields">
        <dt>Assignee</dt>
        <dd>{issue.assignee === null ? 'none' : <Person user={issue.assignee} />}</dd>
        <dt>Labels</dt>
        <dd>
          <Labels names={issue.labels} />
        </dd>
        <dt>Milestone</dt>
        <dd>
          <MilestoneLink fullPath={fullPath} milestone={issue.milestone} />
        </dd>
        <dt>Due</dt>
        <dd>{issue.due_date ?? 'no date'}</dd>
        <dt>Changed</dt>
        <dd>
          <Time at={issue.updated_at} />
        </dd>
      </dl>
      <Notes notes={notes} path={path} />
      <ApiCall path={`/projects/${issue.project_id}/issues/${issue.id}`} />
    </>
  );
}
