import type { VNode } from 'preact';
import { mapPage, type Page } from '../../../../platform/pages/index.js';
import type { CommitCommentView, CommitView, DiffView } from '../../../repository/index.js';
import { ApiCall, Link, Time } from '../../html/components.js';
import type { Page as WebPage } from '../../html/page-sender.js';
import { Diff } from '../parts/diff.js';
import { Notes, type ShownNote } from '../parts/notes.js';
import { ProjectHeading } from '../parts/project-heading.js';
import { State } from '../parts/state.js';
import { Text } from '../parts/text.js';

/** Git sets no limit, and a commit of a mebibyte has room for 20,000. */
const MAX_PARENTS = 100;

type Comment = CommitCommentView & { readonly id: number };

interface CommitPage {
  readonly fullPath: string;
  readonly projectId: number;
  readonly commit: CommitView;
  readonly diffs: readonly DiffView[];
  /** Whether more files are changed than `diffs` has. */
  readonly isCut: boolean;
  readonly comments: Page<Comment>;
}

export const commitPage = (props: CommitPage): WebPage => ({
  title: `${props.commit.title || props.commit.short_id} · ${props.fullPath}`,
  content: <Commit {...props} />,
});

function Commit({ fullPath, projectId, commit, diffs, isCut, comments }: CommitPage): VNode {
  const path = `/${fullPath}/commit/${commit.id}`;
  const body = commit.message.slice(commit.message.indexOf('\n') + 1 || commit.message.length);
  return (
    <>
      <ProjectHeading fullPath={fullPath} name={`commit ${commit.short_id}`} />
      <h1>{commit.title || commit.short_id}</h1>
      <Text text={body.trim()} />
      <dl class="fields">
        <dt>Author</dt>
        <dd>
          {commit.author_name}, <Time at={commit.authored_date} />
        </dd>
        <dt>Committer</dt>
        <dd>
          {commit.committer_name}, <Time at={commit.committed_date} />
        </dd>
        <dt>Commit</dt>
        <dd>
          <code>{commit.id}</code>
        </dd>
        <dt>Parents</dt>
        <dd>
          {commit.parent_ids.length === 0 && 'none'}
          {commit.parent_ids.slice(0, MAX_PARENTS).map((id) => (
            <div key={id}>
              <Link to={`/${fullPath}/commit/${id}`} class="mono">
                {id}
              </Link>
            </div>
          ))}
          {commit.parent_ids.length > MAX_PARENTS &&
            `and ${commit.parent_ids.length - MAX_PARENTS} more`}
        </dd>
        <dt>Status</dt>
        <dd>{commit.status === null ? 'none' : <State name={commit.status} />}</dd>
        <dt>Lines</dt>
        <dd>{`${commit.stats.additions} added, ${commit.stats.deletions} removed`}</dd>
      </dl>
      <Diff diffs={diffs} textPath={path} isCut={isCut} />
      <Notes notes={mapPage(comments, shownComment)} path={path} />
      <ApiCall path={`/projects/${projectId}/repository/commits/${commit.id}`} />
    </>
  );
}

const shownComment = (comment: Comment): ShownNote => ({
  anchor: `note_${comment.id}`,
  author: comment.author,
  createdAt: comment.created_at,
  text: comment.note,
  isSystem: false,
  about: comment.path === null ? undefined : `${comment.path}, line ${comment.line}`,
});
