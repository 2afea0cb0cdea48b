import { Injectable } from '@nestjs/common';
import { REFERENCES_PER_REQUEST, REFERENCES_PER_TEXT } from '../../../platform/limits/index.js';
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

  /** What one text refers to, as `findEach`. */
  async find(
    references: readonly IssuableReference[],
    home: ProjectRef,
    reader: Subject,
  ): Promise<Referenced[]> {
    const [found = []] = await this.findEach([references], home, reader);
    return found;
  }

  /**
   * What each of several texts refers to: what is there and the reader may read, each thing once. A
   * statement for all projects, and one for each kind. The first references count, to
   * `REFERENCES_PER_TEXT` of a text and `REFERENCES_PER_REQUEST` of all texts.
   * @param home the project that the texts belong to
   */
  async findEach(
    texts: readonly (readonly IssuableReference[])[],
    home: ProjectRef,
    reader: Subject,
  ): Promise<Referenced[][]> {
    let left = REFERENCES_PER_REQUEST;
    const counted = texts.map((references) => {
      const some = references.slice(0, Math.min(left, REFERENCES_PER_TEXT));
      left -= some.length;
      return some;
    });
    const known = await this.load(counted.flat(), home, reader);
    return counted.map((references) => {
      const found = references.flatMap((reference) => known.get(keyOf(reference, home)) ?? []);
      return [...new Set(found)];
    });
  }

  private async load(
    references: readonly IssuableReference[],
    home: ProjectRef,
    reader: Subject,
  ): Promise<ReadonlyMap<string, Referenced>> {
    const found = new Map<string, Referenced>();
    if (references.length === 0) return found;
    const fullPaths = new Set(references.map((reference) => fullPathOf(reference, home)));
    const paths = [...fullPaths].map((fullPath) => {
      const [namespace = '', path = ''] = fullPath.split('/');
      return { namespace, path };
    });
    const accesses = await this.projects.findByPaths(reader, paths);
    const pathOf = new Map([...accesses].map(([path, { project }]) => [project.id, path]));
    for (const kind of this.kinds.all) {
      const places = new Map<string, { projectId: number; iid: number }>();
      for (const reference of references) {
        const access = accesses.get(fullPathOf(reference, home));
        if (reference.type !== kind.type || access === undefined || !canSee(access)) continue;
        const place = { projectId: access.project.id, iid: reference.iid };
        places.set(keyOf(reference, home), place);
      }
      if (places.size === 0) continue;
      for (const issuable of await kind.findByIid([...places.values()])) {
        const path = pathOf.get(issuable.projectId) ?? '';
        const access = accesses.get(path);
        if (access === undefined || !kind.allowsReading(issuable, access, reader)) continue;
        found.set(`${path}${kind.sigil}${String(issuable.iid)}`, { issuable, access });
      }
    }
    return found;
  }
}

/** What a reference names, whichever way it is written. */
function keyOf(reference: IssuableReference, home: ProjectRef): string {
  const sigil = reference.type === 'Issue' ? '#' : '!';
  return `${fullPathOf(reference, home)}${sigil}${String(reference.iid)}`;
}

function fullPathOf({ project }: IssuableReference, home: ProjectRef): string {
  const { namespacePath, path } = home;
  return `${project?.namespace ?? namespacePath}/${project?.path ?? path}`.toLowerCase();
}
