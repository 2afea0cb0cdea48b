import type { VNode } from 'preact';
import type { UserSummaryView } from '../../../users/index.js';
import { Link, Time } from '../../html/components.js';
import { Person } from './people.js';
import { State } from './state.js';

export interface ListedIssuable {
  readonly iid: number;
  readonly title: string;
  readonly state: string;
  readonly created_at: Date;
  readonly author: UserSummaryView;
}

interface IssuableListProps {
  /** The beginning of their addresses: a path of this service. */
  readonly path: string;
  readonly sigil: '#' | '!';
  readonly items: readonly ListedIssuable[];
}

/** Issues, or merge requests, of one project. */
export function IssuableList({ path, sigil, items }: IssuableListProps): VNode {
  if (items.length === 0) return <p class="muted">None.</p>;
  return (
    <ul class="plain rows">
      {items.map((item) => (
        <li key={item.iid}>
          <Link to={`${path}/${item.iid}`}>{item.title}</Link> <State name={item.state} />
          <br />
          <small>
            {sigil}
            {item.iid} by <Person user={item.author} />, <Time at={item.created_at} />
          </small>
        </li>
      ))}
    </ul>
  );
}
