import { Injectable } from '@nestjs/common';
import type { ProjectRef } from '../../access/index.js';
import type { LocatedIssue } from '../issues.repository.js';
import { IssueCopies } from './issue-copies.js';
import { MovedNotes } from './moved-notes.js';
import { MovedTexts } from './moved-texts.js';

/**
 * Makes the issue in which one that moves goes on, with all that was said of it
 * (docs/reference/issues.md#moving).
 */
@Injectable()
export class MovedContents {
  constructor(
    private readonly texts: MovedTexts,
    private readonly copies: IssueCopies,
    private readonly notes: MovedNotes,
  ) {}

  /**
   * In the caller's unit of work, which holds the source.
   * @throws DomainError rule violated for what is too large; not found when the new project goes away meanwhile
   */
  async copy(
    source: LocatedIssue,
    from: ProjectRef,
    to: ProjectRef,
    actorId: number,
  ): Promise<LocatedIssue> {
    await this.notes.checkSize(source);
    const rewrite = this.texts.rewriter(from, to);
    const { description: text, movedReferences: moved } = source;
    const description = text === null ? null : await rewrite({ text, moved });
    const copy = await this.copies.make(source, description, to);
    await this.notes.follow(source, copy, actorId, rewrite);
    return copy;
  }
}
