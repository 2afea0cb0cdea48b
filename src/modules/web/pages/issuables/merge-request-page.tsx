import type { VNode } from 'preact';
import type { Page } from '../../../../platform/pages/index.js';
import type { MergeRequestView, VersionCommitView } from '../../../merge-requests/index.js';
import type { DiffView } from '../../../repository/index.js';
import { ApiCall, Link, Time } from '../../html/components.js';
import type { Page as WebPage } from '../../html/page-sender.js';
import { Diff } from '../parts/diff.js';
import { Notes, type ShownNote } from '../parts/notes.js';
import { Person } from '../parts/people.js';
import { ProjectHeading } from '../parts/project-heading.js';
import { State } from '../parts/state.js';
import { Text } from '../parts/text.js';
import { Labels, MilestoneLink } from './issuable-fields.js';

interface MergeRequestPage {
  readonly fullPath: string;
  readonly mergeRequest: MergeRequestView;
  /** The newest ones, newest first. */
  readonly commits: readonly VersionCommitView[];
  readonly changes: readonly DiffView[];
  /** Whether more files are changed than `changes` has. */
  readonly isCut: boolean;
  readonly notes: Page<ShownNote>;
}

export const mergeRequestPage = (props: MergeRequestPage): WebPage => ({
  title: `${props.mergeRequest.title} (!${props.mergeRequest.iid}) · ${props.fullPath}`,
  content: <MergeRequest {...props} />,
});

function MergeRequest(props: MergeRequestPage): VNode {
  const { fullPath, mergeRequest, commits, changes, isCut, notes } = props;
  const path = `/${fullPath}/merge_requests/${mergeRequest.iid}`;
  const isOpen = ['opened', 'reopened'].includes(mergeRequest.state);
  return (
    <>
      <ProjectHeading fullPath={fullPath} name={`!${mergeRequest.iid}`} />
      <h1>{mergeRequest.title}</h1>
      <p>
        <State name={mergeRequest.state} /> by <Person user={mergeRequest.author} />,{' '}
        <Time at={mergeRequest.created_at} />, to merge <code>{mergeRequest.source_branch}</code>{' '}
        into <code>{mergeRequest.target_branch}</code>
      </p>
      <Text text={mergeRequest.description} />
      <dl class="fields">
        {isOpen && <dt>Mergeable</dt>}
        {isOpen && (
          <dd>
            <State name={mergeRequest.merge_status} />
          </dd>
        )}
        <dt>Assignee</dt>
        <dd>{mergeRequest.assignee === null ? 'none' : <Person user={mergeRequest.assignee} />}</dd>
        <dt>Labels</dt>
        <dd>
          <Labels names={mergeRequest.labels} />
        </dd>
        <dt>Milestone</dt>
        <dd>
          <MilestoneLink fullPath={fullPath} milestone={mergeRequest.milestone} />
        </dd>
        <dt>Changed</dt>
        <dd>
          <Time at={mergeRequest.updated_at} />
        </dd>
      </dl>
      <Commits fullPath={fullPath} commits={commits} />
      <Diff diffs={changes} textPath={path} isCut={isCut} />
      <Notes notes={notes} path={path} />
      <ApiCall
        path={`/projects/${mergeRequest.project_id}/merge_requests/${mergeRequest.id}/changes`}
      />
    </>
  );
}

function Commits({
  fullPath,
  commits,
}: {
  readonly fullPath: string;
  readonly commits: readonly VersionCommitView[];
}): VNode {
  return (
    <section aria-labelledby="commits">
      <h2 id="commits">Commits</h2>
      {commits.length === 0 && <p class="muted">None.</p>}
      <ul class="plain rows">
        {commits.map((commit) => (
          <li key={commit.id}>
            <Link to={`/${fullPath}/commit/${commit.id}`}>{commit.title || commit.short_id}</Link>
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

interface NewMergeRequest {
  readonly fullPath: string;
  readonly projectId: number;
  readonly sourceBranch: string;
  readonly targetBranch: string;
}

/** The page whose address Git prints after a push: how to open a merge request. */
export const newMergeRequestPage = (props: NewMergeRequest): WebPage => ({
  title: `New merge request · ${props.fullPath}`,
  content: <NewMergeRequest {...props} />,
});

function NewMergeRequest(props: NewMergeRequest): VNode {
  const { fullPath, projectId, sourceBranch, targetBranch } = props;
  return (
    <>
      <ProjectHeading fullPath={fullPath} name="new merge request" />
      <h1>New merge request</h1>
      <p>
        To merge <code>{sourceBranch}</code> into <code>{targetBranch}</code>, call the API:
      </p>
      <ApiCall
        path={`/projects/${projectId}/merge_requests`}
        fields={{ source_branch: sourceBranch, target_branch: targetBranch, title: 'TITLE' }}
      />
    </>
  );
}
