import { Injectable } from '@nestjs/common';
import { canSee, ProjectAccessRepository, type Subject } from '../../access/index.js';
import type { HidesProject, MovedReferences } from './moved-references.js';

/** Decides which moved references a reader may see: those whose source project the reader may see. */
@Injectable()
export class HiddenReferences {
  constructor(private readonly projects: ProjectAccessRepository) {}

  /**
   * Loads the reader's access to the source projects of all texts with one statement, if there are any.
   * @param reader null for anonymous readers and for the receivers of hooks
   */
  async from(
    texts: readonly { readonly movedReferences?: readonly MovedReferences[] | null }[],
    reader: Subject,
  ): Promise<HidesProject> {
    const projectIds = texts.flatMap(({ movedReferences }) =>
      (movedReferences ?? []).map(({ projectId }) => projectId),
    );
    if (projectIds.length === 0) return () => false;
    const accesses = await this.projects.findByIds(reader, projectIds);
    return (projectId) => {
      const access = accesses.get(projectId);
      return access === undefined || !canSee(access);
    };
  }
}
