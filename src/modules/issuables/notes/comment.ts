import { Injectable } from '@nestjs/common';
import type { ProjectAccess } from '../../access/index.js';
import type { NoteView } from '../../projects/index.js';
import type { User } from '../../users/index.js';
import { AwardPresenter } from '../awards/award.presenter.js';
import type { AwardView } from '../awards/award.view.js';
import { AwardsService } from '../awards/awards.service.js';
import type { Issuable } from '../issuable.js';
import { NotePresenter } from './note.presenter.js';
import { type NoteInput, WriteNotes } from './write-notes.js';

/**
 * Comments on an issue or merge request, or awards it the emoji that the comment is
 * (docs/reference/notes.md#post-projectsidissuesissue_idnotes).
 */
@Injectable()
export class Comment {
  constructor(
    private readonly writing: WriteNotes,
    private readonly awards: AwardsService,
    private readonly notePresenter: NotePresenter,
    private readonly awardPresenter: AwardPresenter,
  ) {}

  /** @throws DomainError for a body that is blank or too long */
  async run(
    access: ProjectAccess,
    target: Issuable,
    caller: User,
    input: NoteInput,
  ): Promise<NoteView | AwardView> {
    const award = await this.awards.fromText(target, caller, input.body);
    if (award !== null) return this.awardPresenter.present(award);
    return this.notePresenter.present(await this.writing.create(access, target, caller, input));
  }
}
