import type { VNode } from 'preact';
import type { Milestone } from '../../../issuables/index.js';
import { Link } from '../../html/components.js';

export function Labels({ labels }: { readonly labels: readonly { name: string }[] }): VNode {
  if (labels.length === 0) return <>none</>;
  return (
    <>
      {labels.map(({ name }) => (
        <span key={name}>
          <span class="badge">{name}</span>{' '}
        </span>
      ))}
    </>
  );
}

export function MilestoneLink({
  fullPath,
  milestone,
}: {
  readonly fullPath: string;
  readonly milestone: Pick<Milestone, 'iid' | 'title' | 'groupId'> | null;
}): VNode {
  if (milestone === null) return <>none</>;
  // Groups have no pages.
  if (milestone.groupId !== null) return <>{milestone.title}</>;
  return <Link to={`/${fullPath}/milestones/${milestone.iid}`}>{milestone.title}</Link>;
}
