import type { VNode } from 'preact';
import type { Urls } from '../../../../platform/config/index.js';
import { fullPathOf, type ProjectWithRelations } from '../../../projects/index.js';
import {
  type CommitWithStatus,
  formatGitDate,
  shortId,
  titleOf,
} from '../../../repository/index.js';
import { ApiCall, Link, Time } from '../../html/components.js';
import type { WebPage } from '../../html/page-sender.js';
import { IssuableList, type ListedIssuable } from '../parts/issuable-list.js';
import { State } from '../parts/state.js';

export interface ProjectPage {
  readonly loaded: ProjectWithRelations;
  readonly urls: Urls;
  /** Undefined, as the next two, where the reader may not list them. */
  readonly issues?: readonly ListedIssuable[] | undefined;
  readonly mergeRequests?: readonly ListedIssuable[] | undefined;
  readonly commits?: readonly CommitWithStatus[] | undefined;
}

export const projectPage = (props: ProjectPage): WebPage => ({
  title: fullPathOf(props.loaded),
  content: <Project {...props} />,
});

function Project({ loaded, urls, issues, mergeRequests, commits }: ProjectPage): VNode {
  const fullPath = fullPathOf(loaded);
  const { project, namespace } = loaded;
  return (
    <>
      <p class="path">
        <Link to={namespace.ownerId === null ? `/groups/${namespace.path}` : `/${namespace.path}`}>
          {namespace.path}
        </Link>{' '}
        / {project.path}
      </p>
      <h1>{project.name}</h1>
      <p>
        <span class="badge">{project.visibility}</span>{' '}
        {project.archived && <State name="archived" />}
      </p>
      {project.description !== null && project.description !== '' && (
        <div class="text">{project.description}</div>
      )}
      <h2>Clone</h2>
      <pre class="command" tabindex={0}>
        <code>{`git clone ${urls.gitOverHttp(fullPath)}`}</code>
      </pre>
      <pre class="command" tabindex={0}>
        <code>{`git clone ${urls.gitOverSsh(fullPath)}`}</code>
      </pre>
      <dl class="fields">
        <dt>Default branch</dt>
        <dd>{project.defaultBranch ?? 'none'}</dd>
        <dt>Created</dt>
        <dd>
          <Time at={project.createdAt} />
        </dd>
        <dt>Last activity</dt>
        <dd>
          <Time at={project.lastActivityAt} />
        </dd>
        <dt>Forks, stars</dt>
        <dd>{`${project.forksCount}, ${project.starCount}`}</dd>
      </dl>
      {issues !== undefined && (
        <section aria-labelledby="issues">
          <h2 id="issues">Open issues</h2>
          <IssuableList path={`/${fullPath}/issues`} sigil="#" items={issues} />
        </section>
      )}
      {mergeRequests !== undefined && (
        <section aria-labelledby="merge-requests">
          <h2 id="merge-requests">Open merge requests</h2>
          <IssuableList path={`/${fullPath}/merge_requests`} sigil="!" items={mergeRequests} />
        </section>
      )}
      {commits !== undefined && <Commits fullPath={fullPath} commits={commits} />}
      <ApiCall path={`/projects/${project.id}`} />
    </>
  );
}

function Commits({
  fullPath,
  commits,
}: {
  readonly fullPath: string;
  readonly commits: readonly CommitWithStatus[];
}): VNode {
  return (
    <section aria-labelledby="commits">
      <h2 id="commits">Newest commits</h2>
      {commits.length === 0 && <p class="muted">None.</p>}
      <ul class="plain rows">
        {commits.map(({ commit: { oid, message, author, committer }, status }) => (
          <li key={oid}>
            <Link to={`/${fullPath}/commit/${oid}`}>{titleOf(message) || shortId(oid)}</Link>{' '}
            {status !== null && <State name={status} />}
            <br />
            <small>
              {shortId(oid)} by {author.name}, <Time at={formatGitDate(committer)} />
            </small>
          </li>
        ))}
      </ul>
    </section>
  );
}
