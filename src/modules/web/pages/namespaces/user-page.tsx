import type { VNode } from 'preact';
import type { User as Account } from '../../../users/index.js';
import { ApiCall, Time } from '../../html/components.js';
import type { WebPage } from '../../html/page-sender.js';
import { State } from '../parts/state.js';

export const userPage = (user: Account): WebPage => ({
  title: `${user.name} (${user.username})`,
  content: <User user={user} />,
});

function User({ user }: { readonly user: Account }): VNode {
  const fields = [
    ['Location', user.location],
    ['Organization', user.organization],
    ['Website', user.websiteUrl],
    ['Messenger', user.messenger],
    ['Professional profile', user.professionalProfile],
    ['Microblog', user.microblog],
  ] as const;
  const filled = fields.filter(([, value]) => value !== null && value !== '');
  return (
    <>
      <p class="path">{user.username}</p>
      <h1>{user.name}</h1>
      <p>
        <State name={user.state} /> since <Time at={user.createdAt} />
      </p>
      {user.bio !== null && user.bio !== '' && <div class="text">{user.bio}</div>}
      {filled.length > 0 && (
        <dl class="fields">
          {filled.map(([name, value]) => (
            <>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </>
          ))}
        </dl>
      )}
      <ApiCall path={`/users/${user.id}`} />
    </>
  );
}
