import { Global, Module } from '@nestjs/common';
import { Callers } from '../authorization/index.js';
import { SettingsModule } from '../settings/index.js';
import { ActingUsers } from './acting-users.js';
import { AuthenticationService } from './authentication/authentication.service.js';
import { CallersRepository } from './authentication/callers.repository.js';
import { FirstAdministrator } from './authentication/first-administrator.js';
import { PasswordThrottle } from './authentication/password-throttle.js';
import { SessionController } from './v3/session.controller.js';
import { WebSessionsRepository } from './authentication/web-sessions.repository.js';
import {
  RemoveEndedWebSessionsJob,
  WebSessionsService,
} from './authentication/web-sessions.service.js';
import { AccountErasure } from './deletion/account-erasure.js';
import { DeletionsRepository } from './deletion/deletions.repository.js';
import { EmailsController } from './v3/emails.controller.js';
import { EmailsRepository } from './owned-records/emails/emails.repository.js';
import { EmailsService } from './owned-records/emails/emails.service.js';
import { SshKeysController } from './v3/ssh-keys.controller.js';
import { SshKeysRepository } from './owned-records/keys/ssh-keys.repository.js';
import { SshKeysService } from './owned-records/keys/ssh-keys.service.js';
import { UserPresenter } from './v3/user.presenter.js';
import { UsersController } from './v3/users.controller.js';
import { UsersRepository } from './model/users.repository.js';
import { UsersService } from './users.service.js';
import { usersAnswers } from './v3/refusals.js';
import { v4UsersAnswers } from './v4/refusals.js';
import { V4EmailsController } from './v4/emails.controller.js';
import { V4AvatarController } from './v4/avatar.controller.js';
import { V4KeysController } from './v4/keys.controller.js';
import { V4SshKeysController } from './v4/ssh-keys.controller.js';
import { V4UserPresenter } from './v4/user.presenter.js';
import { V4UsersController } from './v4/users.controller.js';

/** Global, because the guards of all rooms find callers through it. */
@Global()
@Module({
  imports: [SettingsModule],
  controllers: [
    SessionController,
    UsersController,
    SshKeysController,
    EmailsController,
    V4UsersController,
    V4EmailsController,
    V4AvatarController,
    V4KeysController,
    V4SshKeysController,
  ],
  providers: [
    usersAnswers,
    v4UsersAnswers,
    AccountErasure,
    ActingUsers,
    AuthenticationService,
    { provide: Callers, useExisting: AuthenticationService },
    CallersRepository,
    DeletionsRepository,
    EmailsRepository,
    EmailsService,
    FirstAdministrator,
    PasswordThrottle,
    RemoveEndedWebSessionsJob,
    SshKeysRepository,
    SshKeysService,
    UserPresenter,
    UsersRepository,
    UsersService,
    V4UserPresenter,
    WebSessionsRepository,
    WebSessionsService,
  ],
  exports: [
    ActingUsers,
    AuthenticationService,
    Callers,
    FirstAdministrator,
    PasswordThrottle,
    SshKeysRepository,
    SshKeysService,
    UserPresenter,
    UsersRepository,
    UsersService,
    V4UserPresenter,
    WebSessionsService,
  ],
})
export class UsersModule {}
