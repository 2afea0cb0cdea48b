import { Injectable } from '@nestjs/common';
import { forbidden, notFound, unauthenticated } from '../../../../platform/errors/index.js';
import {
  type Ability,
  type Account,
  allows,
  canSee,
  isOpen,
  PERMISSIONS,
  type ProjectAccess,
  ProjectAccessRepository,
} from '../../../access/index.js';

/** The parameters of a route below a project. */
export interface ProjectPath {
  readonly namespace: string;
  readonly project: string;
}

/** Decides who may read what lies in projects, by the abilities that routes of the API require for the same. */
@Injectable()
export class PageAccess {
  constructor(private readonly projects: ProjectAccessRepository) {}

  /**
   * Finds a project for a reader.
   * @param reader null is anonymous
   * @throws DomainError unauthenticated, not found, forbidden; as the guards of the API
   */
  async toProject(
    reader: Account | null,
    { namespace, project: path }: ProjectPath,
    ability: Ability,
  ): Promise<ProjectAccess> {
    if (reader === null && !isOpen(PERMISSIONS[ability])) throw unauthenticated();
    const access = await this.projects.find(reader, { namespace, path });
    if (access === null || !canSee(access)) throw notFound('Project');
    if (!allows(access, ability)) throw forbidden();
    return access;
  }
}

/**
 * Returns who reads a page that has nothing for anonymous readers.
 * @throws DomainError unauthenticated
 */
export function required<Reader>(reader: Reader | null): Reader {
  if (reader === null) throw unauthenticated();
  return reader;
}
