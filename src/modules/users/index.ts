export { type ActingUser, ActingUsers } from './acting-users.js';
export { AuthenticationService } from './authentication/authentication.service.js';
export { type Credentials, FirstAdministrator } from './authentication/first-administrator.js';
export { PasswordThrottle } from './authentication/password-throttle.js';
export { RateLimit } from './authentication/rate-limit.entity.js';
export { WrongKeyError } from './authentication/session.service.js';
export { AccountErasure, ErasesAccountData, type ErasureStep } from './deletion/account-erasure.js';
export { Email } from './owned-records/emails/email.entity.js';
export { CreateSshKeyDto } from './owned-records/keys/ssh-key.dto.js';
export { SshKey } from './owned-records/keys/ssh-key.entity.js';
export { SshKeysChanged } from './owned-records/keys/ssh-key.events.js';
export {
  fingerprintTaken,
  isSameKey,
  type ValidSshKey,
  validateSshKey,
} from './owned-records/keys/ssh-key.rules.js';
export { presentSshKey, SshKeyView } from './owned-records/keys/ssh-key.view.js';
export { SshKeysRepository } from './owned-records/keys/ssh-keys.repository.js';
export { SshKeysService, type SshKeyWithUser } from './owned-records/keys/ssh-keys.service.js';
export { Identity, User } from './model/user.entity.js';
export { UserCreated, UserDeleted, UserRenamed } from './model/user.events.js';
export {
  SUMMARY_COLUMNS,
  type SummarizedUser,
  summarizeUser,
  UserPresenter,
} from './presentation/user.presenter.js';
export type { CreateUserInput, UpdateUserInput } from './model/user.rules.js';
export { UserSummaryView } from './presentation/user.view.js';
export { UsersModule } from './users.module.js';
export { authorOf, UsersRepository } from './model/users.repository.js';
export { UsersService } from './users.service.js';
