import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Commit } from '../../../git/index.js';
import { Database } from '../../../platform/database/index.js';
import { ProjectObjects, ProjectStorage, type ToldProject } from '../../projects/index.js';
import { CommitComment, lineNumbers, presentDiff } from '../../repository/index.js';
import { authorOf } from '../../users/index.js';
import { CommitObjects } from './commit-object.js';
import { UserObjects } from './user-object.js';

/** What is told of the line that a comment is on. */
interface ToldLine {
  line_code: string | null;
  st_diff: object | null;
  type: 'LegacyDiffNote' | null;
}

const NO_LINE: ToldLine = { line_code: null, st_diff: null, type: null };

/** Tells of comments on commits (open points 7.6). */
@Injectable()
export class CommitNotePayloads {
  constructor(
    private readonly database: Database,
    private readonly storage: ProjectStorage,
    private readonly commits: CommitObjects,
    private readonly projects: ProjectObjects,
    private readonly users: UserObjects,
  ) {}

  /** Null where the comment, or what it is on, is not there any more. */
  async written(commentId: number): Promise<object | null> {
    const comment = await this.database.of(CommitComment).findOneBy({ id: commentId });
    const project = comment && (await this.projects.find(comment.projectId));
    if (comment === null || project === null) return null;
    const commit = await this.commits.find(project, comment.sha);
    if (commit === null) return null;
    const author = authorOf(await this.users.find(comment.authorId), comment.authorId);
    const { line_code, st_diff, type } = await this.line(project, commit, comment);
    return {
      object_kind: 'note',
      user: this.users.user(author),
      project_id: project.id,
      project: this.projects.project(project),
      repository: this.projects.repository(project),
      object_attributes: {
        id: comment.id,
        note: comment.note,
        noteable_type: 'Commit',
        author_id: comment.authorId,
        created_at: comment.createdAt,
        updated_at: comment.createdAt,
        project_id: project.id,
        attachment: null,
        line_code,
        commit_id: comment.sha,
        noteable_id: null,
        system: false,
        st_diff,
        updated_by_id: null,
        type,
        url: `${this.projects.url(project, 'commit', comment.sha)}#note_${String(comment.id)}`,
      },
      commit: this.commits.commit(project, commit),
    };
  }

  private async line(
    project: ToldProject,
    { oid, parents }: Commit,
    { path, line, lineType }: CommitComment,
  ): Promise<ToldLine> {
    if (path === null || line === null || lineType === null) return NO_LINE;
    const diff = await this.storage.repository(project).diff(parents[0] ?? null, oid);
    const entry = diff.entries.find(({ newPath }) => newPath === path);
    const numbers = entry && lineNumbers(entry.text, line, lineType);
    if (entry === undefined || !numbers) return NO_LINE;
    const file = createHash('sha1').update(path).digest('hex');
    return {
      line_code: [file, numbers.old, numbers.new].join('_'),
      st_diff: presentDiff(entry),
      type: 'LegacyDiffNote',
    };
  }
}
