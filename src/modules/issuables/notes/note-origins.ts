import { Injectable } from '@nestjs/common';
import {
  allows,
  canSee,
  type ProjectAccess,
  ProjectAccessRepository,
  type Subject,
} from '../../access/index.js';
import type { Issuable, IssuableType } from '../issuable.js';
import { IssuableKinds } from '../issuable-kinds.js';
import type { Note } from './note.entity.js';

/**
 * Tells which notes on mentions a reader may see: those whose origin they may read
 * (docs/reference/notes.md#get-projectsidissuesissue_idnotes).
 */
@Injectable()
export class NoteOrigins {
  constructor(
    private readonly projects: ProjectAccessRepository,
    private readonly kinds: IssuableKinds,
  ) {}

  /**
   * The notes without those of hidden origin. A statement for the projects of the origins, and one for
   * each kind there is among them.
   */
  async readable(notes: readonly Note[], reader: NonNullable<Subject>): Promise<Note[]> {
    const mentions = notes.filter(({ originType }) => originType !== null);
    if (mentions.length === 0) return [...notes];
    const projectIds = present(mentions.map(({ originProjectId }) => originProjectId));
    const accesses = await this.projects.findByIds(reader, projectIds);
    const origins = await this.load(mentions);
    return notes.filter(({ originType, originId, originProjectId }) => {
      if (originType === null) return true;
      const access = accesses.get(originProjectId ?? 0);
      if (access === undefined || !canSee(access)) return false;
      if (originType === 'Commit') return allows(access, 'code:read');
      const origin = origins.get(originType)?.get(originId ?? 0);
      return origin !== undefined && this.allowsReading(origin, access, reader);
    });
  }

  private allowsReading(origin: Issuable, access: ProjectAccess, reader: Subject): boolean {
    return this.kinds.of(origin.type).allowsReading(origin, access, reader);
  }

  private async load(
    mentions: readonly Note[],
  ): Promise<ReadonlyMap<IssuableType, ReadonlyMap<number, Issuable>>> {
    const found = new Map<IssuableType, ReadonlyMap<number, Issuable>>();
    for (const kind of this.kinds.all) {
      const ids = present(
        mentions.map(({ originType, originId }) => (originType === kind.type ? originId : null)),
      );
      if (ids.length > 0) found.set(kind.type, await kind.find(ids));
    }
    return found;
  }
}

/** Each once, without nulls. */
const present = (ids: readonly (number | null)[]): number[] => [
  ...new Set(ids.filter((id) => id !== null)),
];
