import type { VNode } from 'preact';
import type { MilestoneView } from '../../../issuables/index.js';
import type { IssueView } from '../../../issues/index.js';
import { ApiCall, Time } from '../../html/components.js';
import type { Page } from '../../html/page-sender.js';
import { IssuableList } from '../parts/issuable-list.js';
import { ProjectHeading } from '../parts/project-heading.js';
import { State } from '../parts/state.js';
import { Text } from '../parts/text.js';

interface MilestonePage {
  readonly fullPath: string;
  readonly milestone: MilestoneView;
  /** The newest ones. */
  readonly issues: readonly IssueView[];
}

export const milestonePage = (props: MilestonePage): Page => ({
  title: `${props.milestone.title} · ${props.fullPath}`,
  content: <Milestone {...props} />,
});

function Milestone({ fullPath, milestone, issues }: MilestonePage): VNode {
  return (
    <>
      <ProjectHeading fullPath={fullPath} name="milestone" />
      <h1>{milestone.title}</h1>
      <p>
        <State name={milestone.state} /> since <Time at={milestone.created_at} />
      </p>
      <Text text={milestone.description} />
      <dl class="fields">
        <dt>Starts</dt>
        <dd>{milestone.start_date ?? 'no date'}</dd>
        <dt>Due</dt>
        <dd>{milestone.due_date ?? 'no date'}</dd>
      </dl>
      <h2>Issues</h2>
      <IssuableList path={`/${fullPath}/issues`} sigil="#" items={issues} />
      <ApiCall path={`/projects/${milestone.project_id}/milestones/${milestone.id}`} />
    </>
  );
}
