import { Global, Module } from '@nestjs/common';
import { Callers } from '../access/index.js';
import { CallersOnProjectsRepository } from './callers-on-projects.repository.js';
import { SettingsModule } from '../settings/index.js';
import { ActingUsers } from './acting-users.js';
import { Administrators } from './administrators.js';
import { Authentication } from './authentication.js';
import { BasicThrottle } from './basic-throttle.js';
import { UserBlocking } from './blocking/user-blocking.js';
import { UserBlockingController } from './blocking/user-blocking.controller.js';
import { CreateUser } from './create-user.js';
import { CurrentUserController } from './current-user.controller.js';
import { AccountErasure } from './deletion/account-erasure.js';
import { AuthorshipErasure } from './deletion/authorship-erasure.js';
import { DeleteUser } from './deletion/delete-user.js';
import { DeletionsRepository } from './deletion/deletions.repository.js';
import { Disappearance } from './deletion/disappearance.js';
import { EraseAccount } from './deletion/erase-account.js';
import { Ghost } from './deletion/ghost.js';
import { UserDeletionController } from './deletion/user-deletion.controller.js';
import { Addresses } from './emails/addresses.js';
import { EmailsRepository } from './emails/emails.repository.js';
import { EmailsService } from './emails/emails.service.js';
import { OwnEmailsController } from './emails/own-emails.controller.js';
import { UserEmailsController } from './emails/user-emails.controller.js';
import { FirstAdministrator } from './first-administrator.js';
import { KeyHolders } from './keys/key-holders.js';
import { KeysController } from './keys/keys.controller.js';
import { OwnKeysController } from './keys/own-keys.controller.js';
import { SshKeysRepository } from './keys/ssh-keys.repository.js';
import { SshKeysService } from './keys/ssh-keys.service.js';
import { UserKeysController } from './keys/user-keys.controller.js';
import { PasswordAttempts } from './password-attempts.js';
import { PasswordCache } from './password-cache.js';
import { SessionController } from './session.controller.js';
import { SessionService } from './session.service.js';
import { SignInThrottle } from './sign-in-throttle.js';
import { UpdateUser } from './update-user.js';
import { UserDetailsRepository } from './user-details.repository.js';
import { UserDrafts } from './user-drafts.js';
import { UserListRepository } from './user-list.repository.js';
import { UserPresenter } from './user.presenter.js';
import { UsersController } from './users.controller.js';
import { UsersRepository } from './users.repository.js';
import { UsersService } from './users.service.js';

/** Global, because it tells the guards who calls. */
@Global()
@Module({
  imports: [SettingsModule],
  controllers: [
    SessionController,
    CurrentUserController,
    OwnKeysController,
    OwnEmailsController,
    UsersController,
    UserDeletionController,
    UserBlockingController,
    UserKeysController,
    KeysController,
    UserEmailsController,
  ],
  providers: [
    AccountErasure,
    ActingUsers,
    Addresses,
    Administrators,
    Authentication,
    AuthorshipErasure,
    { provide: Callers, useExisting: Authentication },
    CallersOnProjectsRepository,
    BasicThrottle,
    CreateUser,
    DeleteUser,
    DeletionsRepository,
    Disappearance,
    EmailsRepository,
    EmailsService,
    EraseAccount,
    FirstAdministrator,
    Ghost,
    KeyHolders,
    PasswordAttempts,
    PasswordCache,
    SessionService,
    SignInThrottle,
    SshKeysRepository,
    SshKeysService,
    UpdateUser,
    UserBlocking,
    UserDetailsRepository,
    UserDrafts,
    UserListRepository,
    UserPresenter,
    UsersRepository,
    UsersService,
  ],
  exports: [
    ActingUsers,
    Authentication,
    BasicThrottle,
    Callers,
    FirstAdministrator,
    KeyHolders,
    SessionService,
    SshKeysRepository,
    UserPresenter,
    UsersRepository,
    UsersService,
  ],
})
export class UsersModule {}
