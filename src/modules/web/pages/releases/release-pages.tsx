import type { VNode } from 'preact';
import type { Page } from '../../../../platform/pagination/index.js';
import { type DescribedRelease, nameForGuests, nameOf } from '../../../releases/index.js';
import { shortId } from '../../../repository/index.js';
import { ApiCall, Link, Time } from '../../html/components.js';
import type { WebPage } from '../../html/page-sender.js';
import { Person } from '../parts/people.js';
import { ProjectHeading } from '../parts/project-heading.js';
import { Text } from '../parts/text.js';

interface ReleaseListPage {
  readonly fullPath: string;
  readonly projectId: number;
  readonly releases: Page<DescribedRelease>;
  /** Whether the reader may read single ones, and knows their tags. */
  readonly readsCode: boolean;
}

interface ReleasePage {
  readonly fullPath: string;
  readonly projectId: number;
  readonly described: DescribedRelease;
}

export const releaseListPage = (props: ReleaseListPage): WebPage => ({
  title: `Releases · ${props.fullPath}`,
  content: <ReleaseList {...props} />,
});

export const releasePage = (props: ReleasePage): WebPage => ({
  title: `${nameOf(props.described.release)} · ${props.fullPath}`,
  content: <Release {...props} />,
});

const pathOf = (fullPath: string, tag: string): string =>
  `/${fullPath}/-/releases/${encodeURIComponent(tag)}`;

function ReleaseList({ fullPath, projectId, releases, readsCode }: ReleaseListPage): VNode {
  const { items, page, hasNext, rest } = releases;
  const path = `/${fullPath}/-/releases`;
  return (
    <>
      <ProjectHeading fullPath={fullPath} name="releases" />
      <h1>Releases</h1>
      {items.length === 0 && <p class="muted">None.</p>}
      <ul class="plain rows">
        {items.map(({ release }) => (
          <li key={release.id}>
            {readsCode ? (
              <Link to={pathOf(fullPath, release.tag)}>{nameOf(release)}</Link>
            ) : (
              nameForGuests(release)
            )}
            <br />
            <small>
              <Time at={release.releasedAt ?? release.createdAt} />
            </small>
          </li>
        ))}
      </ul>
      {rest !== null && <p class="muted">Some long ones are left out here; the API has them.</p>}
      {(page > 1 || hasNext) && (
        <nav aria-label="Pages of releases">
          {page > 1 && <Link to={`${path}?page=${page - 1}`}>Later releases</Link>}{' '}
          {hasNext && <Link to={`${path}?page=${page + 1}`}>Earlier releases</Link>}
        </nav>
      )}
      <ApiCall version="v4" path={`/projects/${projectId}/releases`} />
    </>
  );
}

function Release({ fullPath, projectId, described }: ReleasePage): VNode {
  const { release, author, commit, links, milestones } = described;
  const { tag, createdAt, description } = release;
  const path = pathOf(fullPath, tag);
  return (
    <>
      <ProjectHeading fullPath={fullPath} name={`release ${tag}`} />
      <h1>{nameOf(release)}</h1>
      <p>
        {author !== null && (
          <>
            <Person user={author} />,{' '}
          </>
        )}
        <Time at={release.releasedAt ?? createdAt} />
      </p>
      <Text text={description} />
      <dl class="fields">
        <dt>Tag</dt>
        <dd>{tag}</dd>
        <dt>Commit</dt>
        <dd>
          {commit === null ? (
            'none'
          ) : (
            <Link to={`/${fullPath}/commit/${commit.oid}`} class="mono">
              {shortId(commit.oid)}
            </Link>
          )}
        </dd>
        <dt>Milestones</dt>
        <dd>
          {milestones.length === 0 && 'none'}
          {milestones.map(({ milestone: { id, iid, title, groupId } }) => (
            <div key={id}>
              {groupId === null ? (
                <Link to={`/${fullPath}/milestones/${iid}`}>{title}</Link>
              ) : (
                title
              )}
            </div>
          ))}
        </dd>
      </dl>
      <h2>Assets</h2>
      {links.length === 0 && <p class="muted">None.</p>}
      <ul class="plain rows">
        {links.map(({ id, name, url, filepath }) => (
          <li key={id}>
            {filepath === null ? (
              <a href={url} rel="noreferrer">
                {name}
              </a>
            ) : (
              <Link to={`${path}/downloads${filepath}`}>{name}</Link>
            )}
          </li>
        ))}
      </ul>
      <ApiCall version="v4" path={`/projects/${projectId}/releases/${encodeURIComponent(tag)}`} />
    </>
  );
}
