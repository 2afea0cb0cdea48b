import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { readVisibility } from '../../src/modules/authorization/v3/index.js';
import { GroupsService } from '../../src/modules/groups/index.js';
import { ProjectCreationService } from '../../src/modules/projects/index.js';
import { type CreateUserInput, type User, UsersService } from '../../src/modules/users/index.js';

export interface Person {
  user: User;
  token: string;
  password: string;
}

export interface ProjectOptions {
  name?: string;
  visibilityLevel?: number;
  /** A group's, for one: the owner's personal namespace when absent. */
  namespaceId?: number;
}

export interface GroupOptions {
  name?: string;
  path?: string;
  description?: string;
  visibilityLevel?: number;
}

export interface MadeGroup {
  id: number;
  name: string;
  path: string;
}

export interface MadeProject {
  id: number;
  path: string;
  fullPath: string;
}

/** Makes what a test needs through the services, each thing with names of its own. */
export class Factories {
  constructor(private readonly app: INestApplicationContext) {}

  async user(input: Partial<CreateUserInput> = {}): Promise<Person> {
    const username = `user-${unique()}`;
    const token = `token-${unique()}`;
    const password = `password-${unique()}`;
    const user = await this.app.get(UsersService).create({
      username,
      name: `Name of ${username}`,
      email: `${username}@example.com`,
      password,
      privateToken: token,
      ...input,
    });
    return { user, token: input.privateToken ?? token, password: input.password ?? password };
  }

  admin(): Promise<Person> {
    return this.user({ admin: true, projectsLimit: 1000 });
  }

  async project(owner: Person, options: ProjectOptions = {}): Promise<MadeProject> {
    const { project, namespace } = await this.app.get(ProjectCreationService).create(owner.user, {
      name: options.name ?? `project-${unique()}`,
      visibility: readVisibility(options.visibilityLevel ?? 0),
      namespaceId: options.namespaceId,
      switches: {},
    });
    return { id: project.id, path: project.path, fullPath: `${namespace.path}/${project.path}` };
  }

  /** Accounts nobody can sign in to, made by one statement; answers their IDs, the oldest first. */
  async crowd(count: number): Promise<number[]> {
    const rows: { id: number }[] = await this.app.get(DataSource).query(
      `INSERT INTO users (username, name, email, password_hash, private_token_digest,
                          private_token_sealed)
       SELECT t, t, t || '@example.com', 'none', t, 'none'
         FROM (SELECT $1 || '-' || n AS t FROM generate_series(1, $2::int) n) AS texts
       RETURNING id`,
      [`crowd-${unique()}`, count],
    );
    return rows.map(({ id }) => id).sort((a, b) => a - b);
  }

  /** A public group unless said otherwise; `owner` is its only member, with level 50. */
  async group(owner: Person, options: GroupOptions = {}): Promise<MadeGroup> {
    const path = options.path ?? `group-${unique()}`;
    const { visibilityLevel = 20, ...given } = options;
    const visibility = readVisibility(visibilityLevel) ?? 'public';
    const input = { name: path, visibility, ...given, path };
    const { id, name } = await this.app.get(GroupsService).create(owner.user, input);
    return { id, name, path };
  }

  /** @param expiresAt a day, `YYYY-MM-DD` */
  async addToGroup(
    group: { id: number },
    person: Person,
    level: number,
    expiresAt: string | null = null,
  ): Promise<void> {
    await this.app.get(DataSource).query(
      `INSERT INTO group_members (group_id, user_id, access_level, expires_at)
       VALUES ($1, $2, $3, $4)`,
      [group.id, person.user.id, level, expiresAt],
    );
  }

  /** @param expiresAt a day, `YYYY-MM-DD` */
  async addToProject(
    project: { id: number },
    person: Person,
    level: number,
    expiresAt: string | null = null,
  ): Promise<void> {
    await this.app.get(DataSource).query(
      `INSERT INTO project_members (project_id, user_id, access_level, expires_at)
       VALUES ($1, $2, $3, $4)`,
      [project.id, person.user.id, level, expiresAt],
    );
  }

  /** @param expiresAt a day, `YYYY-MM-DD` */
  async share(
    project: { id: number },
    group: { id: number },
    level: number,
    expiresAt: string | null = null,
  ): Promise<void> {
    await this.app.get(DataSource).query(
      `INSERT INTO project_group_links (project_id, group_id, group_access, expires_at)
       VALUES ($1, $2, $3, $4)`,
      [project.id, group.id, level, expiresAt],
    );
  }
}

export function unique(): string {
  return randomBytes(5).toString('hex');
}
