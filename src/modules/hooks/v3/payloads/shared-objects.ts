import { Injectable } from '@nestjs/common';
import type { Commit } from '../../../../git/index.js';
import { presentPushedCommit, type PushCommitView } from '../../../feeds/v3/index.js';
import type { Label } from '../../../issuables/index.js';
import type { PayloadProject } from '../../../projects/index.js';
import { ProjectPayloadBuilder } from '../../../projects/v3/index.js';
import { describeCommit } from '../../../repository/index.js';
import { type User, UsersRepository } from '../../../users/index.js';
import { UserPresenter } from '../../../users/v3/index.js';
import { PayloadCommits } from '../../payloads/payload-commits.js';

/** A user as payloads contain it. */
interface UserObject {
  name: string;
  username: string;
  avatar_url: string | null;
}

/**
 * Loads and formats the users, commits and labels that payloads embed. `ProjectPayloadBuilder` does the same for
 * projects. See docs/reference/hooks.md#shared-objects.
 */
@Injectable()
export class SharedObjects {
  constructor(
    private readonly users: UsersRepository,
    private readonly presenter: UserPresenter,
    private readonly commits: PayloadCommits,
    private readonly projects: ProjectPayloadBuilder,
  ) {}

  /** Users by id, for `authorOf`; the ghost user stands for deleted accounts. */
  findUsers(...ids: readonly (number | null)[]): Promise<ReadonlyMap<number, User>> {
    return this.users.findAuthors(ids.filter((id) => id !== null));
  }

  user(user: User): UserObject {
    const { name, username, avatar_url } = this.presenter.summary(user);
    return { name, username, avatar_url };
  }

  /** The property `assignee`, left out when nobody is assigned or the account is deleted. */
  assignee(users: ReadonlyMap<number, User>, id: number | null): { assignee?: UserObject } {
    const assignee = users.get(id ?? 0);
    return assignee === undefined || assignee.ghost ? {} : { assignee: this.user(assignee) };
  }

  /** Completes the commit of a payload, of which the ID is known. Null when it or the project no longer exists. */
  async completeCommit(
    unread: Pick<PushCommitView, 'id'> | null,
    projectId: number | null,
  ): Promise<PushCommitView | null> {
    const project = projectId === null ? null : await this.projects.find(projectId);
    if (unread === null || project === null) return null;
    const commit = await this.commits.find(project, unread.id);
    return commit && this.commit(project, commit);
  }

  commit(project: PayloadProject, commit: Commit): PushCommitView {
    const url = this.projects.url(project, 'commit', commit.oid);
    return presentPushedCommit(describeCommit(commit), url);
  }

  label({ id, name, color, description }: Label): object {
    return { id, title: name, color, description };
  }
}
