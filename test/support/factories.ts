import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { ProjectsService } from '../../src/modules/projects/index.js';
import { type CreateUserInput, type User, UsersService } from '../../src/modules/users/index.js';

export interface Person {
  user: User;
  token: string;
  password: string;
}

export interface ProjectOptions {
  name?: string;
  visibilityLevel?: number;
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
    const { project, namespace } = await this.app.get(ProjectsService).create(owner.user, {
      name: options.name ?? `project-${unique()}`,
      visibilityLevel: options.visibilityLevel ?? 0,
      switches: {},
    });
    return { id: project.id, path: project.path, fullPath: `${namespace.path}/${project.path}` };
  }
}

export function unique(): string {
  return randomBytes(5).toString('hex');
}
