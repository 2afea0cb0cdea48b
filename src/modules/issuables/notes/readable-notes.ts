import { Injectable } from '@nestjs/common';
import {
  allows,
  canSee,
  ProjectAccessRepository,
  type Subject,
} from '../../authorization/index.js';
import { IssuableKinds } from '../model/issuable-kinds.js';
import type { Issuable, IssuableType } from '../model/issuable.js';
import type { Note } from './note.entity.js';
import { NotesRepository } from './notes.repository.js';

/** Which notes a reader may read, of those on something that they may read. */
@Injectable()
export class ReadableNotes {
  constructor(
    private readonly notes: NotesRepository,
    private readonly kinds: IssuableKinds,
    private readonly projects: ProjectAccessRepository,
  ) {}

  /**
   * Removes the cross-references whose origin the reader may not read
   * (docs/reference/notes.md#get-projectsidissuesissue_idnotes), and of those from one commit all but the oldest that remains.
   * It takes a statement for the projects of the origins, and one for each kind of origin among them.
   * @param notes on one issue or merge request
   */
  async filter(notes: readonly Note[], reader: Subject): Promise<Note[]> {
    const references = notes.filter(({ originType }) => originType !== null);
    if (references.length === 0) return [...notes];
    const commits = await this.findCommitMentions(references);
    const projectIds = distinct(
      [...references, ...commits].map(({ originProjectId }) => originProjectId),
    );
    const accesses = await this.projects.findByIds(reader, projectIds);
    const origins = await this.loadOrigins(references);
    const accessTo = ({ originProjectId }: Pick<Note, 'originProjectId'>) => {
      const access = accesses.get(originProjectId ?? 0);
      return access !== undefined && canSee(access) ? access : null;
    };
    const readsCode = (mention: Pick<Note, 'originProjectId'>) => {
      const access = accessTo(mention);
      return access !== null && allows(access, 'code:read');
    };
    // The oldest is set last.
    const readable = commits.filter(readsCode).reverse();
    const shown = new Map(readable.map(({ originSha, id }) => [originSha, id]));
    return notes.filter((note) => {
      const { originType, originId } = note;
      if (originType === null) return true;
      if (originType === 'Commit') return shown.get(note.originSha) === note.id;
      const access = accessTo(note);
      const origin = origins.get(originType)?.get(originId ?? 0);
      return (
        access !== null &&
        origin !== undefined &&
        this.kinds.of(originType).allowsReading(origin, access, reader)
      );
    });
  }

  /** Finds the cross-references from the same commits as some of a target, on other pages, too. */
  private async findCommitMentions(references: readonly Note[]) {
    const shas = references.flatMap(({ originSha }) => originSha ?? []);
    const [first] = references;
    if (first === undefined || shas.length === 0) return [];
    return this.notes.findCommitMentions({ type: first.noteableType, id: first.noteableId }, shas);
  }

  private async loadOrigins(
    notes: readonly Note[],
  ): Promise<ReadonlyMap<IssuableType, ReadonlyMap<number, Issuable>>> {
    const found = new Map<IssuableType, ReadonlyMap<number, Issuable>>();
    for (const kind of this.kinds.all) {
      const ids = distinct(
        notes.map(({ originType, originId }) => (originType === kind.type ? originId : null)),
      );
      if (ids.length > 0) found.set(kind.type, await kind.find(ids));
    }
    return found;
  }
}

const distinct = (ids: readonly (number | null)[]): number[] => [
  ...new Set(ids.filter((id) => id !== null)),
];
