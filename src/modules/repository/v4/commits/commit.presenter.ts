import { Injectable } from '@nestjs/common';
import type { ChangeCounts, Commit } from '../../../../git/index.js';
import { Urls } from '../../../../platform/config/index.js';
import type { ProjectRef } from '../../../authorization/index.js';
import type { ListedCommit } from '../../commits/commits.service.js';
import type { CommitWithStatus } from '../../commits/statuses/combined-statuses.js';
import type { Pipeline } from '../../commits/statuses/pipelines.js';
import { cutMessage, shortId, titleOf } from '../../shared/commit-text.js';
import { shownTrailers } from '../../shared/commit-trailers.js';
import { formatGitDate } from '../../shared/git-date.js';
import type {
  V4CommitDetailView,
  V4CommitStatsView,
  V4CommitView,
  V4ListedCommitView,
  V4PipelineView,
} from './commit.view.js';

/** The project whose pages views link to. */
export type LinkedProject = Pick<ProjectRef, 'id' | 'path' | 'namespacePath'>;

/** A commit with what its own answer shows. */
export type DescribedCommit = CommitWithStatus & {
  stats?: ChangeCounts | undefined;
  pipeline: Pipeline | null;
};

/** Presents commits, with the addresses of their pages. */
@Injectable()
export class V4CommitPresenter {
  constructor(private readonly urls: Urls) {}

  /** The address of a page below a project, such as `tree` and the name of a branch. */
  page({ path, namespacePath }: LinkedProject, kind: string, name: string): string {
    const project = this.urls.project(`${namespacePath}/${path}`);
    return `${project}/-/${kind}/${name.split('/').map(encodeURIComponent).join('/')}`;
  }

  /** Presents a commit of a list, with a long message truncated. */
  listed(project: LinkedProject, commit: Commit): V4CommitView {
    return this.basic(project, { ...commit, message: cutMessage(commit.message) });
  }

  /** Presents a commit of the list of commits. @param withTrailers whether to read those of its message */
  inHistory(
    project: LinkedProject,
    { commit, stats }: ListedCommit,
    withTrailers: boolean,
  ): V4ListedCommitView {
    return {
      ...this.listed(project, commit),
      ...(withTrailers && presentTrailers(commit.message)),
      ...(stats && { stats: presentStats(stats) }),
    };
  }

  detail(
    project: LinkedProject,
    { commit, status, stats, pipeline }: DescribedCommit,
  ): V4CommitDetailView {
    return {
      ...this.basic(project, commit),
      ...(stats && { stats: presentStats(stats) }),
      status,
      project_id: project.id,
      last_pipeline: pipeline && this.pipeline(project, pipeline),
    };
  }

  pipeline(project: LinkedProject, pipeline: Pipeline): V4PipelineView {
    const { id, sha, ref, status, createdAt, updatedAt, targetUrl } = pipeline;
    return {
      id,
      project_id: project.id,
      sha,
      ref,
      status,
      source: 'external',
      created_at: createdAt,
      updated_at: updatedAt,
      web_url: targetUrl ?? this.page(project, 'commit', sha),
    };
  }

  /** Presents a commit with its whole message. */
  basic(project: LinkedProject, commit: Commit): V4CommitView {
    const committed = formatGitDate(commit.committer);
    return {
      id: commit.oid,
      short_id: shortId(commit.oid),
      created_at: committed,
      parent_ids: commit.parents,
      title: titleOf(commit.message),
      message: commit.message,
      author_name: commit.author.name,
      author_email: commit.author.email,
      authored_date: formatGitDate(commit.author),
      committer_name: commit.committer.name,
      committer_email: commit.committer.email,
      committed_date: committed,
      trailers: {},
      extended_trailers: {},
      web_url: this.page(project, 'commit', commit.oid),
    };
  }
}

const presentStats = ({ additions, deletions }: ChangeCounts): V4CommitStatsView => ({
  additions,
  deletions,
  total: additions + deletions,
});

/** Presents the trailers of a message: the last one of each name, and all of them. */
function presentTrailers(message: string): Pick<V4CommitView, 'trailers' | 'extended_trailers'> {
  const all = new Map<string, string[]>();
  for (const { name, value } of shownTrailers(message)) {
    all.set(name, [...(all.get(name) ?? []), value]);
  }
  const last = [...all].map(([name, values]) => [name, values.at(-1) ?? ''] as const);
  return { trailers: Object.fromEntries(last), extended_trailers: Object.fromEntries(all) };
}
