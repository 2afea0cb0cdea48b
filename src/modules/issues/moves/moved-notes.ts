import { Injectable } from '@nestjs/common';
import { ruleViolated } from '../../../platform/errors/index.js';
import { NOTES_PER_MOVE, TEXT_BYTES_PER_MOVE } from '../../../platform/limits/index.js';
import {
  AwardsRepository,
  type Issuable,
  MentionsRepository,
  type MovableText,
  NotesRepository,
  SystemNotes,
} from '../../issuables/index.js';
import { issuableOf } from '../issue-kind.js';
import type { LocatedIssue } from '../issues.repository.js';

const TOO_LARGE = 'Cannot move issue: its notes are too many or too long!';

/**
 * What was said of an issue that moves: it is said of the new one too
 * (docs/reference/issues.md#moving).
 */
@Injectable()
export class MovedNotes {
  constructor(
    private readonly notes: NotesRepository,
    private readonly awards: AwardsRepository,
    private readonly mentions: MentionsRepository,
    private readonly systemNotes: SystemNotes,
  ) {}

  /** @throws DomainError rule violated for an issue whose notes are too many or too long to be moved */
  async checkSize({ id }: LocatedIssue): Promise<void> {
    const { notes, bytes } = await this.notes.sizeOf({ type: 'Issue', id }, NOTES_PER_MOVE + 1);
    if (notes > NOTES_PER_MOVE || bytes > TEXT_BYTES_PER_MOVE) throw ruleViolated(TOO_LARGE);
  }

  /** Copies notes, awards and who is mentioned, and lets either issue tell of the other. */
  async follow(
    source: LocatedIssue,
    copy: LocatedIssue,
    actorId: number,
    rewrite: (text: MovableText) => Promise<MovableText>,
  ): Promise<void> {
    const [from, to] = [issuableOf(source), issuableOf(copy)];
    const notes = await this.notes.copy(from, to, rewrite);
    await this.awards.copy('Note', notes, copy.projectId);
    await this.awards.copy('Issue', [{ from: source.id, to: copy.id }], copy.projectId);
    await this.mentions.copy(from, to, notes);
    await this.tell(to, source, actorId, `moved from ${referenceTo(source, copy)}`);
    await this.tell(from, copy, actorId, `moved to ${referenceTo(copy, source)}`);
  }

  /** Writes a note that is shown, like mentions, to those who may read the other issue. */
  private async tell(
    target: Issuable,
    { id, projectId }: LocatedIssue,
    actorId: number,
    body: string,
  ): Promise<void> {
    const origin = { type: 'Issue', projectId, id } as const;
    await this.systemNotes.tellOf(origin, actorId, [{ target, body }]);
  }
}

/** Without the namespace within one. */
function referenceTo(issue: LocatedIssue, seenFrom: LocatedIssue): string {
  const [namespace, project = ''] = issue.projectPath.split('/');
  const isNeighbour = seenFrom.projectPath.split('/')[0] === namespace;
  return `${isNeighbour ? project : issue.projectPath}#${String(issue.iid)}`;
}
