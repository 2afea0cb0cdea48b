import type { VNode } from 'preact';
import type { MilestoneView } from '../../../issuables/index.js';
import { Link } from '../../html/components.js';

export function Labels({ names }: { readonly names: readonly string[] }): VNode {
  if (names.length === 0) return <>none</>;
  return (
    <>
      {names.map((name) => (
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
  readonly milestone: MilestoneView | null;
}): VNode {
  if (milestone === null) return <>none</>;
  return <Link to={`/${fullPath}/milestones/${milestone.iid}`}>{milestone.title}</Link>;
}
