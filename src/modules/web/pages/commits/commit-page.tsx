import type { VNode } from 'preact';
import type { ChangeCounts, Commit as ShownCommit, DiffEntry } from '../../../../git/index.js';
import { mapPage, type Page } from '../../../../platform/pagination/index.js';
import {
  type AuthoredComment,
  type CombinedState,
  formatGitDate,
  shortId,
  titleOf,
} from '../../../repository/index.js';
import { ApiCall, Link, Time } from '../../html/components.js';
import type { WebPage as WebPage } from '../../html/page-sender.js';
import { Diff } from '../parts/diff.js';
import { Notes, type ShownNote } from '../parts/notes.js';
import { ProjectHeading } from '../parts/project-heading.js';
import { State } from '../parts/state.js';
import { Text } from '../parts/text.js';

/** Git sets no limit, and a commit of a mebibyte has room for 20,000. */
const MAX_PARENTS = 100;

interface CommitPage {
  readonly fullPath: string;
  readonly projectId: number;
  readonly commit: ShownCommit;
  readonly stats: ChangeCounts;
  readonly status: CombinedState | null;
  readonly diffs: readonly DiffEntry[];
  /** Whether more files are changed than `diffs` has. */
  readonly isCut: boolean;
  readonly comments: Page<AuthoredComment>;
}

export const commitPage = (props: CommitPage): WebPage => ({
  title: `${headingOf(props.commit)} · ${props.fullPath}`,
  content: <Commit {...props} />,
});

/** The first line of the message, else the short ID. */
const headingOf = ({ oid, message }: ShownCommit): string => titleOf(message) || shortId(oid);

function Commit(props: CommitPage): VNode {
  const { fullPath, projectId, commit, stats, status, diffs, isCut, comments } = props;
  const path = `/${fullPath}/commit/${commit.oid}`;
  const body = commit.message.slice(commit.message.indexOf('\n') + 1 || commit.message.length);
  return (
    <>
      <ProjectHeading fullPath={fullPath} name={`commit ${shortId(commit.oid)}`} />
      <h1>{headingOf(commit)}</h1>
      <Text text={body.trim()} />
      <dl class="fields">
        <dt>Author</dt>
        <dd>
          {commit.author.name}, <Time at={formatGitDate(commit.author)} />
        </dd>
        <dt>Committer</dt>
        <dd>
          {commit.committer.name}, <Time at={formatGitDate(commit.committer)} />
        </dd>
        <dt>Commit</dt>
        <dd>
          <code>{commit.oid}</code>
        </dd>
        <dt>Parents</dt>
        <dd>
          {commit.parents.length === 0 && 'none'}
          {commit.parents.slice(0, MAX_PARENTS).map((id) => (
            <div key={id}>
              <Link to={`/${fullPath}/commit/${id}`} class="mono">
                {id}
              </Link>
            </div>
          ))}
          {commit.parents.length > MAX_PARENTS && `and ${commit.parents.length - MAX_PARENTS} more`}
        </dd>
        <dt>Status</dt>
        <dd>{status === null ? 'none' : <State name={status} />}</dd>
        <dt>Lines</dt>
        <dd>{`${stats.additions} added, ${stats.deletions} removed`}</dd>
      </dl>
      <Diff diffs={diffs} textPath={path} isCut={isCut} />
      <Notes notes={mapPage(comments, shownComment)} path={path} />
      <ApiCall path={`/projects/${projectId}/repository/commits/${commit.oid}`} />
    </>
  );
}

const shownComment = ({ comment, author }: AuthoredComment): ShownNote => ({
  anchor: `note_${comment.id}`,
  author,
  createdAt: comment.createdAt,
  text: comment.note,
  isSystem: false,
  about: comment.path === null ? undefined : `${comment.path}, line ${comment.line}`,
});
