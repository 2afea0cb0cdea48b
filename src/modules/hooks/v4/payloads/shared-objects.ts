import { Injectable } from '@nestjs/common';
import { Urls } from '../../../../platform/config/index.js';
import type { PushedCommit } from '../../../activity/index.js';
import { VISIBILITY_LEVEL } from '../../../authorization/index.js';
import type { Label } from '../../../issuables/index.js';
import { type PayloadProject, ProjectsRepository } from '../../../projects/index.js';
import { describeCommit, titleOf } from '../../../repository/index.js';
import { authorOf, type User, UsersRepository } from '../../../users/index.js';
import { V4UserPresenter } from '../../../users/v4/index.js';
import { PayloadCommits } from '../../payloads/payload-commits.js';

/** Users by ID; the ghost account stands for deleted ones. */
type UsersById = ReadonlyMap<number, User>;

/** Stands for e-mail addresses that are not public, as all are. */
const REDACTED = '[REDACTED]';

/** Loads and formats what payloads embed. See docs/reference/v4-hooks.md#shared-objects. */
@Injectable()
export class V4SharedObjects {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly accounts: UsersRepository,
    private readonly users: V4UserPresenter,
    private readonly commits: PayloadCommits,
    private readonly urls: Urls,
  ) {}

  /** Null for a project whose row does not exist any more. */
  async findProject(id: number): Promise<PayloadProject | null> {
    return (await this.projects.findForPayloads([id])).get(id) ?? null;
  }

  findUsers(ids: readonly (number | null)[]): Promise<UsersById> {
    return this.accounts.findAuthors([...new Set(ids.filter((id) => id !== null))]);
  }

  /** The address of a page of a project. */
  url({ fullPath }: PayloadProject, ...segments: string[]): string {
    return this.urls.web(...fullPath.split('/'), '-', ...segments);
  }

  project(project: PayloadProject): object {
    const { id, name, description, namespaceName, visibility, fullPath, defaultBranch } = project;
    const { web, ssh, http } = this.addresses(project);
    return {
      id,
      name,
      description,
      web_url: web,
      avatar_url: null,
      git_ssh_url: ssh,
      git_http_url: http,
      namespace: namespaceName,
      visibility_level: VISIBILITY_LEVEL[visibility],
      path_with_namespace: fullPath,
      default_branch: defaultBranch,
      ci_config_path: null,
      homepage: web,
      url: ssh,
      ssh_url: ssh,
      http_url: http,
    };
  }

  repository(project: PayloadProject): object {
    const { web, ssh } = this.addresses(project);
    return { name: project.name, url: ssh, description: project.description, homepage: web };
  }

  /** The repository of pushes and jobs, with the clone addresses. */
  repositoryWithCloneUrls(project: PayloadProject): object {
    const { ssh, http } = this.addresses(project);
    return {
      ...this.repository(project),
      git_http_url: http,
      git_ssh_url: ssh,
      visibility_level: VISIBILITY_LEVEL[project.visibility],
    };
  }

  user(user: User): object {
    const { id, name, username, avatar_url } = this.users.basic(user);
    return { id, name, username, avatar_url, email: REDACTED };
  }

  /** The user of an ID, the ghost account for a deleted one. */
  author(users: UsersById, id: number): object {
    return this.user(authorOf(users, id));
  }

  /** The users of a list, in its order, without deleted accounts. */
  people(users: UsersById, ids: readonly number[]): object[] {
    return ids.flatMap((id) => {
      const user = users.get(id);
      return user === undefined || user.ghost ? [] : [this.user(user)];
    });
  }

  /** The fields of a push about its user. */
  pusher(users: UsersById, id: number): object {
    const user = authorOf(users, id);
    const { name, username, avatar_url } = this.users.basic(user);
    return {
      user_id: user.id,
      user_name: name,
      user_username: username,
      user_email: REDACTED,
      user_avatar: avatar_url,
    };
  }

  commit(project: PayloadProject, { oid, message, committedAt, author }: PushedCommit): object {
    return {
      id: oid,
      message,
      title: titleOf(message),
      timestamp: committedAt,
      url: this.url(project, 'commit', oid),
      author: { name: author.name, email: author.email },
    };
  }

  /** Reads a commit from git, as payloads show it; null when it or its project no longer exists. Not for a unit of work. */
  async findCommit(projectId: number, sha: string): Promise<object | null> {
    const project = await this.findProject(projectId);
    const commit = project && (await this.commits.find(project, sha));
    return project && commit && this.commit(project, describeCommit(commit));
  }

  label(label: Label): object {
    const { id, name, color, description, projectId, groupId, createdAt, updatedAt } = label;
    return {
      id,
      title: name,
      color,
      project_id: projectId,
      created_at: formatTime(createdAt),
      updated_at: formatTime(updatedAt),
      template: false,
      description,
      type: groupId === null ? 'ProjectLabel' : 'GroupLabel',
      group_id: groupId,
    };
  }

  private addresses({ fullPath }: PayloadProject): { web: string; ssh: string; http: string } {
    return {
      web: this.urls.project(fullPath),
      ssh: this.urls.gitOverSsh(fullPath),
      http: this.urls.gitOverHttp(fullPath),
    };
  }
}

/** As `2026-11-30 16:05:00 UTC`. */
export const formatTime = (moment: Date): string =>
  `${moment.toISOString().slice(0, 19).replace('T', ' ')} UTC`;

export const formatTimeOrNull = (moment: Date | null): string | null =>
  moment && formatTime(moment);
