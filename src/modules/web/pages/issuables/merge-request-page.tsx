import type { VNode } from 'preact';
import type { Commit, DiffEntry } from '../../../../git/index.js';
import type { Page } from '../../../../platform/pagination/index.js';
import type { MergeRequestWithRelations } from '../../../merge-requests/index.js';
import { formatGitDate, shortId, titleOf } from '../../../repository/index.js';
import { ApiCall, Link, Time } from '../../html/components.js';
import type { WebPage as WebPage } from '../../html/page-sender.js';
import { Diff } from '../parts/diff.js';
import { Notes, type ShownNote } from '../parts/notes.js';
import { People, Person } from '../parts/people.js';
import { ProjectHeading } from '../parts/project-heading.js';
import { State } from '../parts/state.js';
import { Text } from '../parts/text.js';
import { Labels, MilestoneLink } from './issuable-fields.js';

interface MergeRequestPage {
  readonly fullPath: string;
  readonly loaded: MergeRequestWithRelations;
  /** The newest ones, newest first. */
  readonly commits: readonly Commit[];
  readonly changes: readonly DiffEntry[];
  /** Whether more files are changed than `changes` has. */
  readonly isCut: boolean;
  readonly notes: Page<ShownNote>;
}

export const mergeRequestPage = (props: MergeRequestPage): WebPage => ({
  title: `${props.loaded.issuable.title} (!${props.loaded.issuable.iid}) · ${props.fullPath}`,
  content: <MergeRequest {...props} />,
});

function MergeRequest(props: MergeRequestPage): VNode {
  const { fullPath, loaded, commits, changes, isCut, notes } = props;
  const { issuable: mergeRequest, author, assignees, reviewers, labels, milestone } = loaded;
  const path = `/${fullPath}/merge_requests/${mergeRequest.iid}`;
  const isOpen = ['opened', 'reopened'].includes(mergeRequest.state);
  return (
    <>
      <ProjectHeading fullPath={fullPath} name={`!${mergeRequest.iid}`} />
      <h1>{mergeRequest.title}</h1>
      <p>
        <State name={mergeRequest.state} /> by <Person user={author} />,{' '}
        <Time at={mergeRequest.createdAt} />, to merge <code>{mergeRequest.sourceBranch}</code> into{' '}
        <code>{mergeRequest.targetBranch}</code>
      </p>
      <Text text={mergeRequest.description} />
      <dl class="fields">
        {isOpen && <dt>Mergeable</dt>}
        {isOpen && (
          <dd>
            <State name={mergeRequest.mergeStatus} />
          </dd>
        )}
        <dt>{assignees.length > 1 ? 'Assignees' : 'Assignee'}</dt>
        <dd>
          <People users={assignees} />
        </dd>
        {reviewers.length > 0 && <dt>{reviewers.length > 1 ? 'Reviewers' : 'Reviewer'}</dt>}
        {reviewers.length > 0 && (
          <dd>
            <People users={reviewers} />
          </dd>
        )}
        <dt>Labels</dt>
        <dd>
          <Labels labels={labels} />
        </dd>
        <dt>Milestone</dt>
        <dd>
          <MilestoneLink fullPath={fullPath} milestone={milestone} />
        </dd>
        <dt>Changed</dt>
        <dd>
          <Time at={mergeRequest.updatedAt} />
        </dd>
      </dl>
      <Commits fullPath={fullPath} commits={commits} />
      <Diff diffs={changes} textPath={path} isCut={isCut} />
      <Notes notes={notes} path={path} />
      <ApiCall
        path={`/projects/${mergeRequest.projectId}/merge_requests/${mergeRequest.id}/changes`}
      />
    </>
  );
}

function Commits({
  fullPath,
  commits,
}: {
  readonly fullPath: string;
  readonly commits: readonly Commit[];
}): VNode {
  return (
    <section aria-labelledby="commits">
      <h2 id="commits">Commits</h2>
      {commits.length === 0 && <p class="muted">None.</p>}
      <ul class="plain rows">
        {commits.map(({ oid, message, author, committer }) => (
          <li key={oid}>
            <Link to={`/${fullPath}/commit/${oid}`}>{titleOf(message) || shortId(oid)}</Link>
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
