import { Injectable } from '@nestjs/common';
import { ProjectAccessRepository, type ProjectRef } from '../../access/index.js';
import type { Issuable } from './issuable.js';
import { IssuableKinds } from './issuable-kinds.js';

/** Decides which users may read an issue or merge request. */
@Injectable()
export class IssuableReaders {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly access: ProjectAccessRepository,
  ) {}

  /** Returns the users who may read the target, with one statement; without blocked and deleted accounts. */
  async filterReaders(
    target: Issuable,
    project: ProjectRef,
    userIds: readonly number[],
  ): Promise<number[]> {
    const ids = [...new Set(userIds)];
    if (ids.length === 0) return [];
    const kind = this.kinds.of(target.type);
    const accesses = await this.access.findReaders(project, ids);
    return [...accesses]
      .filter(([, access]) => kind.allowsReading(target, access, access.subject))
      .map(([id]) => id);
  }
}
