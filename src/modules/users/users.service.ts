import { Injectable } from '@nestjs/common';
import { UnitOfWork, violatedUnique } from '../../platform/database/index.js';
import { assertValid, forbidden, invalidFields, notFound } from '../../platform/errors/index.js';
import { DomainEvents } from '../../platform/events/index.js';
import { reference } from '../../platform/http/index.js';
import { mapPage, type Page, type PageRequest } from '../../platform/pagination/index.js';
import { Outbox } from '../../platform/queue/index.js';
import { hashPassword, randomToken, Secrets } from '../../platform/secrets/index.js';
import { AuditLog, type AuditRecord } from '../audit/index.js';
import { SettingsService } from '../settings/index.js';
import { WebSessionsRepository } from './authentication/web-sessions.repository.js';
import { DeletionsRepository } from './deletion/deletions.repository.js';
import { eraseAccount } from './deletion/account-erasure.js';
import { type AddressUse, EmailsRepository } from './owned-records/emails/emails.repository.js';
import type { User } from './model/user.entity.js';
import { UserCreated, UserDeleted, UserRenamed } from './model/user.events.js';
import {
  accountTaken,
  directoryBlocked,
  lastAdministrator,
  type UniqueUserField,
} from './model/refusals.js';
import {
  type CreateUserInput,
  newUserProblems,
  sanitizeUser,
  type UpdateUserInput,
  userProblems,
} from './model/user.rules.js';
import type { UserFilters } from './model/user-list.query.js';
import {
  type NewUser,
  type UserChanges,
  UsersRepository,
  type UserWithDetails,
} from './model/users.repository.js';

/** The unique indexes that an account and its personal namespace can violate. */
const TAKEN: Readonly<Record<string, UniqueUserField>> = {
  users_email_key: 'email',
  users_username_key: 'username',
  namespaces_path_key: 'username',
};

/** The rights of an account whose changes are audited, with their names in the API. */
const RIGHTS = [
  ['external', 'external'],
  ['projectsLimit', 'projects_limit'],
  ['canCreateGroup', 'can_create_group'],
] as const;

/** External accounts own no projects and no groups. */
const EXTERNAL_LIMITS = { projectsLimit: 0, canCreateGroup: false };

/** Accounts. The rules are those of docs/reference/users.md#rules. */
@Injectable()
export class UsersService {
  /** Delays the erasure, for requests that were let in before the deletion and still need the row; milliseconds. */
  readonly erasureDelayMs: number = 10_000;

  constructor(
    private readonly work: UnitOfWork,
    private readonly users: UsersRepository,
    private readonly emails: EmailsRepository,
    private readonly deletions: DeletionsRepository,
    private readonly sessions: WebSessionsRepository,
    private readonly settings: SettingsService,
    private readonly secrets: Secrets,
    private readonly events: DomainEvents,
    private readonly outbox: Outbox,
    private readonly audit: AuditLog,
  ) {}

  /** Lists accounts for users who are not administrators. */
  list(filters: UserFilters, request: PageRequest): Promise<Page<User>> {
    return this.users.list(filters, false, request);
  }

  /** Lists accounts with their details, and with the filters that only administrators have. */
  async listForAdmin(filters: UserFilters, request: PageRequest): Promise<Page<UserWithDetails>> {
    const page = await this.users.list(filters, true, request);
    const withDetails = await this.users.loadAllDetails(page.items);
    return mapPage(page, (_, index) => withDetails[index] as UserWithDetails);
  }

  /** Finds an account by user name, or by primary e-mail address. */
  findByLogin(login: string): Promise<User | null> {
    return this.users.findByLogin(login);
  }

  /**
   * Reads an account or the ghost account.
   * @throws DomainError not found
   */
  async read(id: number): Promise<User> {
    const user = await this.users.findByIdOrGhost(id);
    if (user === null) throw notFound('user');
    return user;
  }

  /**
   * Reads an account by a reference of a client: an ID or a user name.
   * @throws DomainError not found
   */
  async readByReference(text: string): Promise<User> {
    const named = reference(text);
    if (named.by === 'id') return this.read(named.id);
    const user = await this.users.findByUsername(named.path);
    if (user === null) throw notFound('user');
    return user;
  }

  loadDetails(user: User): Promise<UserWithDetails> {
    return this.users.loadDetails(user);
  }

  /**
   * Creates an account with its personal namespace.
   * @throws DomainError invalid record, conflict
   */
  async create(input: CreateUserInput): Promise<User> {
    const newUser = await this.prepare(input);
    return this.writeUnique('create', async () => {
      await this.takeOver(await this.emails.claimAddress(newUser.email), 'create');
      const user = await this.users.insert(newUser);
      if (input.identity !== undefined) await this.users.upsertIdentity(user.id, input.identity);
      await this.events.publish(new UserCreated(user));
      const { admin, external } = user;
      await this.audit.record({
        action: 'user.created',
        ...on(user),
        details: { admin, external },
      });
      return user;
    });
  }

  /**
   * Updates an account; the personal namespace is renamed with it. Absent fields stay as they are.
   * @throws DomainError not found, invalid fields, account taken
   */
  async update(id: number, given: UpdateUserInput): Promise<User> {
    if ((await this.users.findById(id)) === null) throw notFound('user');
    const input = sanitizeUser(given);
    assertValid(userProblems(input));
    // Slow on purpose, hence before anything is locked.
    const hash = input.password === undefined ? undefined : await hashPassword(input.password);
    return this.writeUnique('update', async () => {
      const user = await this.lock(id);
      await this.refuseLastAdministrator(user, input);
      await this.moveAddress(user, input.email);
      const updated = await this.users.update(id, changesOf(user, input, hash));
      if (hash !== undefined) await this.sessions.deleteOfUser(id);
      if (input.identity !== undefined) await this.users.upsertIdentity(id, input.identity);
      if (input.username !== undefined && input.username !== user.username) {
        await this.events.publish(new UserRenamed(id, input.username));
      }
      await this.audit.record(...changeRecords(user, updated, input));
      return updated;
    });
  }

  /**
   * Deletes an account: hides it at once, and leaves its erasure to a job.
   * @returns the account as it was; null when nothing was deleted, because it does not exist, is the
   * caller's own, or is the last administrator or the last owner of a group
   */
  async delete(caller: User, id: number): Promise<UserWithDetails | null> {
    if (caller.id === id) return null;
    return this.work.run(async () => {
      const user = await this.users.lock(id);
      if (user === null || (await this.isIndispensable(user))) return null;
      const deleted = await this.users.loadDetails(user);
      await this.deletions.hide(id);
      // From the commit on, readers find the ghost account in the place of this one.
      await this.deletions.findOrCreateGhost();
      await this.events.publish(new UserDeleted(id));
      await this.audit.record({ action: 'user.deleted', ...on(user) });
      await this.outbox.add(eraseAccount.with({ userId: id }, { delayMs: this.erasureDelayMs }));
      return deleted;
    });
  }

  /**
   * Replaces the private token of an account; the former one is refused from then on.
   * @returns the new token
   * @throws DomainError not found
   */
  resetToken(id: number): Promise<string> {
    const token = randomToken();
    return this.work.run(async () => {
      const user = await this.lock(id);
      await this.users.update(id, {
        privateTokenDigest: this.secrets.digest(token),
        privateTokenSealed: this.secrets.seal(token),
      });
      await this.sessions.deleteOfUser(id);
      await this.audit.record({ action: 'user.token_reset', ...on(user) });
      return token;
    });
  }

  /**
   * Blocks an account.
   * @param caller null for the operator of the instance
   * @returns false when it is blocked already
   * @throws DomainError not found; forbidden for the caller's own account; last administrator; directory blocked
   */
  block(caller: User | null, id: number): Promise<boolean> {
    return this.work.run(async () => {
      const user = await this.lock(id);
      if (user.id === caller?.id) throw forbidden();
      if (user.directoryBlocked) {
        throw directoryBlocked('block');
      }
      if (user.state === 'blocked') return false;
      if (user.admin && !(await this.users.hasOtherAdministrator(user))) throw lastAdministrator();
      await this.users.update(id, { state: 'blocked' });
      await this.sessions.deleteOfUser(id);
      await this.audit.record({ action: 'user.blocked', ...on(user) });
      return true;
    });
  }

  /**
   * Unblocks an account.
   * @returns false when it is active already
   * @throws DomainError not found; directory blocked
   */
  unblock(id: number): Promise<boolean> {
    return this.work.run(async () => {
      const user = await this.lock(id);
      if (user.directoryBlocked) {
        throw directoryBlocked('unblock');
      }
      if (user.state === 'active') return false;
      await this.users.update(id, { state: 'active' });
      await this.audit.record({ action: 'user.unblocked', ...on(user) });
      return true;
    });
  }

  /** @throws DomainError invalid fields: every field that breaks a rule */
  private async prepare(given: CreateUserInput): Promise<NewUser> {
    const input = sanitizeUser(given);
    const settings = await this.settings.current();
    assertValid(newUserProblems(input, settings));
    const token = input.privateToken ?? randomToken();
    return {
      privateTokenDigest: this.secrets.digest(token),
      privateTokenSealed: this.secrets.seal(token),
      bio: input.bio ?? null,
      location: input.location ?? null,
      messenger: input.messenger ?? null,
      professionalProfile: input.professionalProfile ?? null,
      microblog: input.microblog ?? null,
      websiteUrl: input.websiteUrl ?? null,
      organization: input.organization ?? null,
      username: input.username,
      name: input.name,
      email: input.email,
      passwordHash: await hashPassword(input.password),
      projectsLimit: input.projectsLimit ?? settings.defaultProjectsLimit,
      canCreateGroup: input.canCreateGroup ?? true,
      ...(input.external === true ? EXTERNAL_LIMITS : {}),
      admin: input.admin ?? false,
      external: input.external ?? false,
      confirmedAt: new Date(),
    };
  }

  /**
   * Runs a unit of work in which the unique indexes decide who gets a name or address.
   * @throws DomainError account taken, invalid fields
   */
  private async writeUnique(action: 'create' | 'update', work: () => Promise<User>): Promise<User> {
    try {
      return await this.work.run(work);
    } catch (error) {
      const index = violatedUnique(error) ?? '';
      if (index === 'identities_extern_uid_key') {
        throw invalidFields({ externUid: [{ rule: 'taken' }] });
      }
      const field = TAKEN[index];
      throw field === undefined ? error : accountTaken(field, action);
    }
  }

  private async lock(id: number): Promise<User> {
    const user = await this.users.lock(id);
    if (user === null) throw notFound('user');
    return user;
  }

  private async refuseLastAdministrator(user: User, { admin }: UpdateUserInput): Promise<void> {
    if (admin !== false || !user.admin || (await this.users.hasOtherAdministrator(user))) return;
    throw invalidFields({ admin: [{ rule: 'last-administrator' }] });
  }

  /** Claims a new primary address; a secondary address of the same account swaps places with the former one. */
  private async moveAddress(user: User, address: string | undefined): Promise<void> {
    if (address === undefined || address === user.email) return;
    const use = await this.emails.claimAddress(address);
    const ownEmailId = use?.userId === user.id ? use.emailId : null;
    if (ownEmailId === null) await this.takeOver(use, 'update');
    else await this.emails.replaceAddress(ownEmailId, user.email);
  }

  /**
   * Takes a secondary address from the account that added it. Nobody has confirmed that it belongs there, and it must
   * not keep an administrator from giving it to an account.
   * @throws DomainError account taken, for a primary address
   */
  private async takeOver(use: AddressUse | null, action: 'create' | 'update'): Promise<void> {
    if (use === null) return;
    const { userId, emailId } = use;
    if (emailId === null) throw accountTaken('email', action);
    await this.emails.remove(userId, emailId);
    const target = { type: 'email', id: emailId } as const;
    await this.audit.record({ action: 'email.removed', target, details: { user_id: userId } });
  }

  /**
   * Whether without this account there would be no administrator, or no owner of a group. Two accounts
   * that depend on each other cannot both be deleted at the same time.
   */
  private async isIndispensable(user: User): Promise<boolean> {
    if (user.admin && !(await this.users.hasOtherAdministrator(user))) return true;
    return this.deletions.isLastGroupOwner(user.id);
  }
}

function changesOf(
  user: User,
  { password, identity, ...input }: UpdateUserInput,
  passwordHash: string | undefined,
): UserChanges {
  const external = input.external ?? user.external;
  const changes = { ...input, passwordHash, ...(external ? EXTERNAL_LIMITS : {}) };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

const on = ({ id, username }: User): Pick<AuditRecord, 'target'> => ({
  target: { type: 'user', id, name: username },
});

/** What the audit log says about a change of an account: nothing about its profile, and no e-mail address. */
function changeRecords(
  before: User,
  after: User,
  { password, identity }: UpdateUserInput,
): AuditRecord[] {
  const records: AuditRecord[] = [];
  if (after.username !== before.username) {
    const details = { from: before.username, to: after.username };
    records.push({ action: 'user.renamed', ...on(after), details });
  }
  if (after.email !== before.email) records.push({ action: 'user.email_changed', ...on(after) });
  if (password !== undefined) records.push({ action: 'user.password_changed', ...on(after) });
  if (after.admin !== before.admin) {
    const details = { from: before.admin, to: after.admin };
    records.push({ action: 'user.admin_changed', ...on(after), details });
  }
  if (identity !== undefined) {
    const details = { provider: identity.provider };
    records.push({ action: 'user.identity_changed', ...on(after), details });
  }
  const changes = RIGHTS.filter(([right]) => after[right] !== before[right]).map(
    ([right, name]) => [name, { from: before[right], to: after[right] }] as const,
  );
  if (changes.length > 0) {
    const details = Object.fromEntries(changes);
    records.push({ action: 'user.updated', ...on(after), details });
  }
  return records;
}
