import { Global, Module } from '@nestjs/common';
import { Callers } from '../access/index.js';
import { SettingsModule } from '../settings/index.js';
import { Authentication } from './authentication.js';
import { BasicThrottle } from './basic-throttle.js';
import { CurrentUserController } from './current-user.controller.js';
import { FirstAdministrator } from './first-administrator.js';
import { PasswordCache } from './password-cache.js';
import { SessionController } from './session.controller.js';
import { SessionService } from './session.service.js';
import { SignInThrottle } from './sign-in-throttle.js';
import { UserPresenter } from './user.presenter.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

/** Global, because it tells the guards who calls. */
@Global()
@Module({
  imports: [SettingsModule],
  controllers: [SessionController, CurrentUserController],
  providers: [
    Authentication,
    { provide: Callers, useExisting: Authentication },
    BasicThrottle,
    FirstAdministrator,
    PasswordCache,
    SessionService,
    SignInThrottle,
    UserPresenter,
    UsersRepository,
    UsersService,
  ],
  exports: [
    Authentication,
    BasicThrottle,
    Callers,
    FirstAdministrator,
    SessionService,
    UserPresenter,
    UsersRepository,
    UsersService,
  ],
})
export class UsersModule {}
