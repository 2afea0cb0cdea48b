import type { VNode } from 'preact';
import type { SummarizedUser } from '../../../users/index.js';
import { Link, Time } from '../../html/components.js';
import { Person } from './people.js';
import { State } from './state.js';

export interface ListedIssuable {
  readonly issuable: {
    readonly iid: number;
    readonly title: string;
    readonly state: string;
    readonly createdAt: Date;
  };
  readonly author: SummarizedUser;
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
      {items.map(({ issuable, author }) => (
        <li key={issuable.iid}>
          <Link to={`${path}/${issuable.iid}`}>{issuable.title}</Link>{' '}
          <State name={issuable.state} />
          <br />
          <small>
            {sigil}
            {issuable.iid} by <Person user={author} />, <Time at={issuable.createdAt} />
          </small>
        </li>
      ))}
    </ul>
  );
}
