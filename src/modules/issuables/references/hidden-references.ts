import { Injectable } from '@nestjs/common';
import { canSee, ProjectAccessRepository, type Subject } from '../../access/index.js';
import type { HidesProject, MovedReferences } from './moved-references.js';

/** Decides whose moved references readers see: those of source projects that they may see. */
@Injectable()
export class HiddenReferences {
  constructor(private readonly projects: ProjectAccessRepository) {}

  /**
   * One statement for all texts together, and none where no text was moved.
   * @param reader null for receivers that are nobody in particular, such as hooks
   */
  async from(
    texts: readonly { readonly movedReferences: readonly MovedReferences[] | null }[],
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
