import { Injectable } from '@nestjs/common';
import {
  AwardsRepository,
  MentionsRepository,
  NotesRepository,
  SystemNotes,
} from '../../issuables/index.js';
import { issuableOf } from '../issue-kind.js';
import type { LocatedIssue } from '../issues.repository.js';

/** What was said of an issue that moves: it is said of the new one too (open points 5.3). */
@Injectable()
export class MovedNotes {
  constructor(
    private readonly notes: NotesRepository,
    private readonly awards: AwardsRepository,
    private readonly mentions: MentionsRepository,
    private readonly systemNotes: SystemNotes,
  ) {}

  /** Copies notes, awards and who is mentioned, and lets either issue tell of the other. */
  async follow(
    source: LocatedIssue,
    copy: LocatedIssue,
    actorId: number,
    rewrite: (text: string) => string,
  ): Promise<void> {
    const [from, to] = [issuableOf(source), issuableOf(copy)];
    const notes = await this.notes.copy(from, to, rewrite);
    await this.awards.copy('Note', notes, copy.projectId);
    await this.awards.copy('Issue', [{ from: source.id, to: copy.id }], copy.projectId);
    await this.mentions.copy(from, to, notes);
    await this.systemNotes.write(to, actorId, `moved from ${referenceTo(source, copy)}`);
    await this.systemNotes.write(from, actorId, `moved to ${referenceTo(copy, source)}`);
  }
}

/** Without the namespace within one. */
function referenceTo(issue: LocatedIssue, seenFrom: LocatedIssue): string {
  const [namespace, project = ''] = issue.projectPath.split('/');
  const isNeighbour = seenFrom.projectPath.split('/')[0] === namespace;
  return `${isNeighbour ? project : issue.projectPath}#${String(issue.iid)}`;
}
