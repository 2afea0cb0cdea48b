import { Injectable } from '@nestjs/common';
import { notFound } from '../../../platform/errors/index.js';
import type { ProjectAccess } from '../../access/index.js';
import {
  AwardPresenter,
  AwardsService,
  type AwardView,
  type NoteInput,
  NotePresenter,
  WriteNotes,
} from '../../issuables/index.js';
import type { NoteView } from '../../projects/index.js';
import type { User } from '../../users/index.js';
import { IssueNotes } from './issue-notes.js';

/** Comments on an issue, or awards it the emoji that the comment is (open points 3.2). */
@Injectable()
export class CommentOnIssue {
  constructor(
    private readonly notes: IssueNotes,
    private readonly writing: WriteNotes,
    private readonly awards: AwardsService,
    private readonly notePresenter: NotePresenter,
    private readonly awardPresenter: AwardPresenter,
  ) {}

  /** @throws DomainError forbidden, not found; for a body that is blank or too long */
  async run(
    access: ProjectAccess,
    caller: User,
    issueId: number,
    input: NoteInput,
  ): Promise<NoteView | AwardView> {
    const target = await this.notes.on(access, caller, issueId, notFound('Note'));
    const award = await this.awards.fromText(target, caller, input.body);
    if (award !== null) return this.awardPresenter.present(award);
    return this.notePresenter.present(await this.writing.create(access, target, caller, input));
  }
}
