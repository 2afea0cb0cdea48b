import { Injectable } from '@nestjs/common';
import { ruleViolated } from '../../../platform/errors/index.js';
import { NOTES_PER_MOVE, TEXT_BYTES_PER_MOVE } from '../../../platform/limits/index.js';
import {
  AwardsRepository,
  type Issuable,
  MentionsRepository,
  NotesRepository,
  SystemNotesRepository,
} from '../../issuables/index.js';
import { issuableOf } from '../issuable/issue-kind.js';
import type { LocatedIssue } from '../model/issues.repository.js';
import type { RewriteText } from './text-rewriter.js';

const TOO_LARGE = 'Cannot move issue: its notes are too many or too long!';

/** Copies notes, awards and mentions of an issue that moves (docs/reference/issues.md#moving). */
@Injectable()
export class NotesCopier {
  constructor(
    private readonly notes: NotesRepository,
    private readonly awards: AwardsRepository,
    private readonly mentions: MentionsRepository,
    private readonly systemNotes: SystemNotesRepository,
  ) {}

  /** @throws DomainError rule violated if the notes are too many or too long to be moved */
  async checkSize({ id }: LocatedIssue): Promise<void> {
    const { notes, bytes } = await this.notes.sizeOf({ type: 'Issue', id }, NOTES_PER_MOVE + 1);
    if (notes > NOTES_PER_MOVE || bytes > TEXT_BYTES_PER_MOVE) throw ruleViolated(TOO_LARGE);
  }

  /** Copies everything to the new issue, and writes a system note about the move on both issues. */
  async copy(
    source: LocatedIssue,
    copy: LocatedIssue,
    actorId: number,
    rewrite: RewriteText,
  ): Promise<void> {
    const [from, to] = [issuableOf(source), issuableOf(copy)];
    const notes = await this.notes.copy(from, to, rewrite);
    await this.awards.copy('Note', notes, copy.projectId);
    await this.awards.copy('Issue', [{ from: source.id, to: copy.id }], copy.projectId);
    await this.mentions.copy(from, to, notes);
    await this.writeNote(to, source, actorId, `moved from ${referenceTo(source, copy)}`);
    await this.writeNote(from, copy, actorId, `moved to ${referenceTo(copy, source)}`);
  }

  /** Writes a note that, like a cross-reference, is shown to readers of the other issue. */
  private async writeNote(
    target: Issuable,
    { id, projectId }: LocatedIssue,
    actorId: number,
    body: string,
  ): Promise<void> {
    const origin = { type: 'Issue', projectId, id } as const;
    await this.systemNotes.insertCrossReferences(origin, actorId, [{ target, body }]);
  }
}

/** Returns the reference without the namespace if both projects are in one. */
function referenceTo(issue: LocatedIssue, seenFrom: LocatedIssue): string {
  const [namespace, project = ''] = issue.projectPath.split('/');
  const isSameNamespace = seenFrom.projectPath.split('/')[0] === namespace;
  return `${isSameNamespace ? project : issue.projectPath}#${String(issue.iid)}`;
}
