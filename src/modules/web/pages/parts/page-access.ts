import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { forbidden, notFound, unauthenticated } from '../../../../platform/errors/index.js';
import { clientAddress, readCredential } from '../../../../platform/http/index.js';
import { noteCaller } from '../../../../platform/observability/index.js';
import {
  accessFor,
  type Ability,
  type Account,
  allows,
  Callers,
  canSee,
  isOpen,
  PERMISSIONS,
  type ProjectAccess,
  ProjectAccessRepository,
} from '../../../authorization/index.js';

/** Decides who may read what lies in projects, by the abilities that routes of the API require for the same. */
@Injectable()
export class PageAccess {
  constructor(
    private readonly projects: ProjectAccessRepository,
    private readonly callers: Callers,
  ) {}

  /**
   * Finds who asks for what other clients get, too: a private token wins over the session of the browser.
   * @throws DomainError unauthenticated
   */
  async callerOf(request: Request, viewer: Account | null): Promise<Account | null> {
    const { token } = readCredential(request);
    if (token === undefined) return viewer;
    const caller = await this.callers.findByToken(token);
    if (caller === null) throw unauthenticated();
    noteCaller(request, caller.id);
    return caller;
  }

  /**
   * Finds the project that the route's `:namespace` and `:project` name, for a reader.
   * @param reader null is anonymous
   * @throws DomainError unauthenticated, not found, forbidden; as the guards of the API
   */
  async toProject(
    request: Request,
    reader: Account | null,
    ability: Ability,
  ): Promise<ProjectAccess> {
    if (reader === null && !isOpen(PERMISSIONS[ability])) throw unauthenticated();
    const { namespace, project } = request.params;
    const identifier = { namespace: String(namespace), path: String(project) };
    const access = await this.projects.find(reader, identifier);
    if (access === null || !canSee(access)) throw notFound('project');
    if (!allows(access, ability)) throw forbidden();
    return accessFor({ address: clientAddress(request), userId: reader?.id }, access);
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
