import { Injectable } from '@nestjs/common';
import type { Commit } from '../../../git/index.js';
import type { ProjectRef } from '../../access/index.js';
import { ProjectStorage } from '../../projects/index.js';
import { changesLine } from './changed-lines.js';
import type { CommitComment, LineType } from './commit-comment.entity.js';

/** Where a client wants a comment to stand. */
export interface LinePosition {
  /** As the file is called after the commit. */
  path?: string | undefined;
  line?: number | undefined;
  lineType: LineType;
}

type Position = Pick<CommitComment, 'path' | 'line' | 'lineType'>;

const NOWHERE: Position = { path: null, line: null, lineType: null };

/** Finds the lines of commits that comments can stand at: those that the commit adds or removes. */
@Injectable()
export class CommentPositions {
  constructor(private readonly storage: ProjectStorage) {}

  /**
   * What does not match is the commit as a whole
   * (docs/reference/commits.md#post-projectsidrepositorycommitsshacomments).
   */
  async find(
    project: ProjectRef,
    { oid, parents }: Commit,
    { path, line, lineType }: LinePosition,
  ): Promise<Position> {
    if (path === undefined || line === undefined) return NOWHERE;
    const repository = this.storage.repository(project);
    const { entries } = await repository.diff(parents[0] ?? null, oid);
    const matches = entries.some(
      ({ newPath, text }) => newPath === path && changesLine(text, line, lineType),
    );
    return matches ? { path, line, lineType } : NOWHERE;
  }
}
