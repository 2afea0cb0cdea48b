import type { VNode } from 'preact';
import type { IssueView } from '../../../issues/index.js';
import type { MergeRequestView } from '../../../merge-requests/index.js';
import type { ProjectView } from '../../../projects/index.js';
import type { CommitListItemView } from '../../../repository/index.js';
import { ApiCall, Link, Time } from '../../html/components.js';
import type { Page } from '../../html/page-sender.js';
import { IssuableList } from '../parts/issuable-list.js';
import { State } from '../parts/state.js';
import { visibilityName } from '../parts/visibility.js';

export interface ProjectPage {
  readonly project: ProjectView;
  /** Undefined, as the next two, where the reader may not list them. */
  readonly issues?: readonly IssueView[] | undefined;
  readonly mergeRequests?: readonly MergeRequestView[] | undefined;
  readonly commits?: readonly CommitListItemView[] | undefined;
}

export const projectPage = (props: ProjectPage): Page => ({
  title: props.project.path_with_namespace,
  content: <Project {...props} />,
});

function Project({ project, issues, mergeRequests, commits }: ProjectPage): VNode {
  const fullPath = project.path_with_namespace;
  const { namespace } = project;
  return (
    <>
      <p class="path">
        <Link to={namespace.owner_id === null ? `/groups/${namespace.path}` : `/${namespace.path}`}>
          {namespace.path}
        </Link>{' '}
        / {project.path}
      </p>
      <h1>{project.name}</h1>
      <p>
        <span class="badge">{visibilityName(project.visibility_level)}</span>{' '}
        {project.archived && <State name="archived" />}
      </p>
      {project.description !== null && project.description !== '' && (
        <div class="text">{project.description}</div>
      )}
      <h2>Clone</h2>
      <pre class="command" tabindex={0}>
        <code>{`git clone ${project.http_url_to_repo}`}</code>
      </pre>
      <pre class="command" tabindex={0}>
        <code>{`git clone ${project.ssh_url_to_repo}`}</code>
      </pre>
      <dl class="fields">
        <dt>Default branch</dt>
        <dd>{project.default_branch ?? 'none'}</dd>
        <dt>Created</dt>
        <dd>
          <Time at={project.created_at} />
        </dd>
        <dt>Last activity</dt>
        <dd>
          <Time at={project.last_activity_at} />
        </dd>
        <dt>Forks, stars</dt>
        <dd>{`${project.forks_count}, ${project.star_count}`}</dd>
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
  readonly commits: readonly CommitListItemView[];
}): VNode {
  return (
    <section aria-labelledby="commits">
      <h2 id="commits">Newest commits</h2>
      {commits.length === 0 && <p class="muted">None.</p>}
      <ul class="plain rows">
        {commits.map((commit) => (
          <li key={commit.id}>
            <Link to={`/${fullPath}/commit/${commit.id}`}>{commit.title || commit.short_id}</Link>{' '}
            {commit.status !== null && <State name={commit.status} />}
            <br />
            <small>
              {commit.short_id} by {commit.author_name}, <Time at={commit.created_at} />
            </small>
          </li>
        ))}
      </ul>
    </section>
  );
}
