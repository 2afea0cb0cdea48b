import { Injectable } from '@nestjs/common';
import {
  canSee,
  type ProjectAccess,
  ProjectAccessRepository,
  type ProjectRef,
  type Subject,
} from '../../access/index.js';
import type { Issuable } from '../issuable.js';
import { IssuableKinds } from '../issuable-kinds.js';
import type { IssuableReference } from './reference.js';

/** So many references of one text are followed. */
const MOST_REFERENCES = 200;

/** An issue or merge request that a text refers to, with its reader's standing on its project. */
export interface Referenced {
  readonly issuable: Issuable;
  readonly access: ProjectAccess;
}

/** Finds what texts refer to. */
@Injectable()
export class ReferencedIssuables {
  constructor(
    private readonly projects: ProjectAccessRepository,
    private readonly kinds: IssuableKinds,
  ) {}

  /**
   * Those that are there and that the reader may read. A statement for all projects, and one for each
   * project and kind.
   * @param home the project that the text belongs to
   */
  async find(
    references: readonly IssuableReference[],
    home: ProjectRef,
    reader: Subject,
  ): Promise<Referenced[]> {
    const wanted = new Map<string, IssuableReference[]>();
    for (const reference of references.slice(0, MOST_REFERENCES)) {
      const fullPath = fullPathOf(reference, home);
      wanted.set(fullPath, [...(wanted.get(fullPath) ?? []), reference]);
    }
    if (wanted.size === 0) return [];
    const paths = [...wanted.keys()].map((fullPath) => {
      const [namespace = '', path = ''] = fullPath.split('/');
      return { namespace, path };
    });
    const accesses = await this.projects.findByPaths(reader, paths);
    const found: Referenced[] = [];
    for (const [fullPath, access] of accesses) {
      if (!canSee(access)) continue;
      found.push(...(await this.findIn(access, wanted.get(fullPath) ?? [], reader)));
    }
    return found;
  }

  private async findIn(
    access: ProjectAccess,
    references: readonly IssuableReference[],
    reader: Subject,
  ): Promise<Referenced[]> {
    const found: Referenced[] = [];
    for (const kind of this.kinds.all) {
      const iids = references.filter(({ type }) => type === kind.type).map(({ iid }) => iid);
      if (iids.length === 0) continue;
      const issuables = await kind.findByIid(access.project.id, [...new Set(iids)]);
      for (const issuable of issuables.values()) {
        if (kind.allowsReading(issuable, access, reader)) found.push({ issuable, access });
      }
    }
    return found;
  }
}

function fullPathOf({ project }: IssuableReference, home: ProjectRef): string {
  const { namespacePath, path } = home;
  return `${project?.namespace ?? namespacePath}/${project?.path ?? path}`.toLowerCase();
}
