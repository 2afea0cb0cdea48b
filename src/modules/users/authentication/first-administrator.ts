import { Injectable, type OnModuleInit } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { randomToken, WrongKeyError } from '../../../platform/secrets/index.js';
import type { User } from '../model/user.entity.js';
import { UsersRepository } from '../model/users.repository.js';
import { UsersService } from '../users.service.js';
import { AuthenticationService } from './authentication.service.js';

const PROJECTS_LIMIT = 100_000;

interface AdministratorSettings {
  username: string;
  email: string;
  /** Random when absent. */
  password?: string | undefined;
  token?: string | undefined;
}

export interface Credentials {
  username: string;
  password: string;
  token: string;
}

/** Creates the administrator on the first start; keeps processes with another instance key from starting. */
@Injectable()
export class FirstAdministrator implements OnModuleInit {
  constructor(
    private readonly work: UnitOfWork,
    private readonly users: UsersRepository,
    private readonly service: UsersService,
    private readonly authentication: AuthenticationService,
  ) {}

  /**
   * Creates the account unless there are users already; processes that start together do so one after
   * the other. Passes the credentials to `announce` before the commit: after a crash in between they are
   * void and the next start announces new ones, so no account exists whose credentials were never shown.
   *
   * @throws WrongKeyError when the secrets of the first user cannot be read with the instance key
   */
  ensure(
    settings: AdministratorSettings,
    announce: (credentials: Credentials) => void,
  ): Promise<void> {
    return this.work.run(async () => {
      await this.users.lockFirstStart();
      const first = await this.users.findFirst();
      if (first !== null) {
        this.checkKey(first);
        return;
      }
      const password = settings.password ?? randomToken();
      const token = settings.token ?? randomToken();
      await this.service.create({
        username: settings.username,
        name: 'Administrator',
        email: settings.email,
        password,
        privateToken: token,
        admin: true,
        projectsLimit: PROJECTS_LIMIT,
      });
      announce({ username: settings.username, password, token });
    });
  }

  /**
   * Requires the key that the secrets of the first user were made with, if there are users, before anything is served or any
   * job runs: what another key writes cannot be read. Waits for a start or a rotation that is under way.
   * @throws WrongKeyError
   */
  onModuleInit(): Promise<void> {
    return this.work.run(async () => {
      await this.users.lockFirstStart();
      const first = await this.users.findFirst();
      if (first !== null) this.checkKey(first);
    });
  }

  /** @throws WrongKeyError when the account's secrets cannot be read with the instance key */
  private checkKey(user: User): void {
    try {
      this.authentication.privateToken(user);
    } catch (error) {
      throw new WrongKeyError({ cause: error });
    }
  }
}
