import { Injectable } from '@nestjs/common';
import { type ActivityAction, ActivityLog } from '../../activity/index.js';
import { authorOf, type User, UsersRepository } from '../../users/index.js';
import type { IssuableType } from '../model/issuable.js';

/** When an issue or merge request was closed or merged last, and by which account. */
export interface StateChange {
  /** The ghost account if the account was deleted. */
  readonly user: User;
  readonly at: Date;
}

/** A merge comes after all closings. */
const ENDS: readonly ActivityAction[] = ['closed', 'accepted'];

/** Finds who closed or merged issues and merge requests, and when, in the recorded activity. */
@Injectable()
export class LastActivities {
  constructor(
    private readonly log: ActivityLog,
    private readonly users: UsersRepository,
  ) {}

  /** Finds them by ID, with two statements; without those of which nothing is recorded, such as imported ones. */
  async find(
    type: IssuableType,
    ids: readonly number[],
  ): Promise<ReadonlyMap<number, StateChange>> {
    const found = await this.log.findLast(type, ENDS, ids);
    if (found.size === 0) return new Map();
    const users = await this.users.findAuthors([...found.values()].map(({ authorId }) => authorId));
    return new Map(
      [...found].map(([id, { authorId, at }]) => [id, { user: authorOf(users, authorId), at }]),
    );
  }
}
