export { ActingUsers } from './acting-users.js';
export {
  AuthenticationService,
  type SignInClient,
} from './authentication/authentication.service.js';
export { type Credentials, FirstAdministrator } from './authentication/first-administrator.js';
export { PasswordThrottle, RateLimit } from './authentication/password-throttle.js';
export { WebSession } from './authentication/web-session.entity.js';
export { WEB_SESSIONS } from './authentication/web-sessions.repository.js';
export { WebSessionsService } from './authentication/web-sessions.service.js';
export { AccountErasure, type ErasureStep } from './deletion/account-erasure.js';
export { ErasesAccountData } from './deletion/erases-account-data.js';
export { Email, Identity, User } from './model/user.entity.js';
export { SshKey } from './owned-records/keys/ssh-key.entity.js';
export { SshKeysChanged, SshKeysService } from './owned-records/keys/ssh-keys.service.js';
export {
  fingerprintTaken,
  isSameKey,
  sha256FingerprintOf,
  type ValidSshKey,
  validateSshKey,
} from './owned-records/keys/ssh-key.rules.js';
export { SshKeysRepository } from './owned-records/keys/ssh-keys.repository.js';
export { UserCreated, UserDeleted, UserRenamed } from './model/user.events.js';
export { type SummarizedUser, SUMMARY_COLUMNS } from './model/user-summary.js';
export type { CreateUserInput } from './model/user.rules.js';
export { UsersModule } from './users.module.js';
export { authorOf, UsersRepository } from './model/users.repository.js';
export { authorsById, userByUsername } from './model/users.sql.js';
export { UsersService } from './users.service.js';
