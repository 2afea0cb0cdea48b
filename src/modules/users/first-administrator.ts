import { Injectable } from '@nestjs/common';
import { Database, UnitOfWork } from '../../platform/database/index.js';
import { randomToken } from '../../platform/secrets/index.js';
import { SessionService } from './session.service.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

/** Any number, the same in every process: the key of the lock that lets one of them go first. */
const FIRST_BOOT_LOCK = 7_265_001;
const PROJECTS_LIMIT = 100_000;

export interface AdministratorSettings {
  username: string;
  email: string;
  /** Made at random when absent. */
  password?: string | undefined;
  token?: string | undefined;
}

export interface Credentials {
  username: string;
  password: string;
  token: string;
}

/** Makes the administrator on the first boot (bootstrap contract, open points 5.15). */
@Injectable()
export class FirstAdministrator {
  constructor(
    private readonly work: UnitOfWork,
    private readonly database: Database,
    private readonly users: UsersRepository,
    private readonly service: UsersService,
    private readonly sessions: SessionService,
  ) {}

  /**
   * Makes the account unless there are users already. `announce` gets the credentials before the
   * commit: after a crash in between they are void and the next start announces new ones, so the
   * account never exists without somebody having been told how to sign in.
   */
  ensure(
    settings: AdministratorSettings,
    announce: (credentials: Credentials) => void,
  ): Promise<void> {
    return this.work.run(async () => {
      await this.database.rows('SELECT pg_advisory_xact_lock($1)', [FIRST_BOOT_LOCK]);
      const first = await this.users.findFirst();
      if (first !== null) {
        this.sessions.checkKey(first);
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
}
