import type { VNode } from 'preact';
import type { Milestone as ShownMilestone } from '../../../issuables/index.js';
import { ApiCall, Time } from '../../html/components.js';
import type { WebPage } from '../../html/page-sender.js';
import { IssuableList, type ListedIssuable } from '../parts/issuable-list.js';
import { ProjectHeading } from '../parts/project-heading.js';
import { State } from '../parts/state.js';
import { Text } from '../parts/text.js';

interface MilestonePage {
  readonly fullPath: string;
  readonly milestone: ShownMilestone;
  /** The newest ones. */
  readonly issues: readonly ListedIssuable[];
}

export const milestonePage = (props: MilestonePage): WebPage => ({
  title: `${props.milestone.title} · ${props.fullPath}`,
  content: <Milestone {...props} />,
});

function Milestone({ fullPath, milestone, issues }: MilestonePage): VNode {
  return (
    <>
      <ProjectHeading fullPath={fullPath} name="milestone" />
      <h1>{milestone.title}</h1>
      <p>
        <State name={milestone.state} /> since <Time at={milestone.createdAt} />
      </p>
      <Text text={milestone.description} />
      <dl class="fields">
        <dt>Starts</dt>
        <dd>{milestone.startDate ?? 'no date'}</dd>
        <dt>Due</dt>
        <dd>{milestone.dueDate ?? 'no date'}</dd>
      </dl>
      <h2>Issues</h2>
      <IssuableList path={`/${fullPath}/issues`} sigil="#" items={issues} />
      <ApiCall path={`/projects/${milestone.projectId}/milestones/${milestone.id}`} />
    </>
  );
}
