import { Injectable } from '@nestjs/common';
import { ProjectReadersRepository, type ProjectRef } from '../access/index.js';
import type { Issuable } from './issuable.js';
import { IssuableKinds } from './issuable-kinds.js';

/** Tells who of several users may read an issue or merge request. */
@Injectable()
export class Readers {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly projectReaders: ProjectReadersRepository,
  ) {}

  /** Those who may, with one statement; nobody who is blocked, deleted or unknown. */
  async among(
    target: Issuable,
    project: ProjectRef,
    userIds: readonly number[],
  ): Promise<number[]> {
    const ids = [...new Set(userIds)];
    if (ids.length === 0) return [];
    const kind = this.kinds.of(target.type);
    const accesses = await this.projectReaders.findAccess(project, ids);
    return [...accesses]
      .filter(([, access]) => kind.allowsReading(target, access, access.subject))
      .map(([id]) => id);
  }
}
